import { DatabaseUnavailableError } from '@millrace/database';
import { HttpError } from '@millrace/http';
import type { ErrorCode } from '@millrace/http';
import {
  GroupCommitClosedError,
  GroupCommitFullError,
  ObjectStoreUnavailableError,
  SecretStoreUnavailableError,
} from '@millrace/runs';
import type { FlowReference } from '@millrace/runs';
import { LineLimit } from '@millrace/service';
import type { Counter, Logger, Metrics } from '@millrace/service';
import { DatabaseStalledError } from './durable-intake';

const MAXIMUM_PATH_LENGTH = 500;
/** The codes that ingest answers with. */
const CODES: readonly ErrorCode[] = [
  'key_missing',
  'key_invalid',
  'signature_invalid',
  'challenge_refused',
  'rate_limited',
  'too_many_waiting',
  'flow_unknown',
  'trigger_unknown',
  'invalid_request',
  'undecodable_body',
  'encoding_refused',
  'invalid_value',
  'body_too_large',
  'ingest_unavailable',
  'method_not_allowed',
  'database_unavailable',
  'object_store_unavailable',
  'secret_store_unavailable',
  'encryption_failed',
  'internal',
];
const OUTAGES = [
  DatabaseUnavailableError,
  DatabaseStalledError,
  ObjectStoreUnavailableError,
  SecretStoreUnavailableError,
  GroupCommitFullError,
  GroupCommitClosedError,
];

export interface RefusedWebhook {
  readonly refusal: HttpError;
  /** The cause of the refusal. */
  readonly error?: unknown;
  readonly requestId: string | null;
  /** Without the query, which can contain a key. */
  readonly path: string;
  /** The flow, if it was found before the webhook was refused. */
  readonly flow?: FlowReference | null;
}

/** Logs each refused webhook: at `info` for a client error, at `warn` for an outage, else at `error`. */
export class RefusedWebhookLog {
  readonly #logger: Logger;
  readonly #limit: LineLimit;
  readonly #refused: Counter;

  constructor({ logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics }) {
    this.#logger = logger;
    this.#refused = metrics.counter(
      'millrace_webhooks_refused_total',
      'Webhooks that were refused, by code',
      { labels: { code: CODES } },
    );
    this.#limit = new LineLimit({ logger, metrics, about: 'refused webhooks' });
  }

  write({ refusal, error, requestId, path, flow }: RefusedWebhook): void {
    const { code, status, message: reason } = refusal;
    this.#refused.add(1, { code });
    if (!this.#limit.allows(flow ? `${code} of flow ${flow.id}` : code)) return;
    const fields = {
      ...(requestId === null ? {} : { requestId }),
      path: path.slice(0, MAXIMUM_PATH_LENGTH),
      ...(flow ? { flowId: flow.id, userId: flow.userId } : {}),
      status,
      code,
      reason,
      ...(error === undefined || error === refusal ? {} : { error }),
    };
    this.#logger[levelOf(refusal, error)](fields, 'webhook refused');
  }

  close(): void {
    this.#limit.close();
  }
}

function levelOf({ status }: HttpError, error: unknown): 'info' | 'warn' | 'error' {
  if (status < 500) return 'info';
  const isExpected = error instanceof HttpError || OUTAGES.some((kind) => error instanceof kind);
  return isExpected ? 'warn' : 'error';
}
