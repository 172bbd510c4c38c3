import { DatabaseUnavailableError } from '@millrace/database';
import { GroupCommitClosedError, GroupCommitFullError } from '@millrace/runs';
import type { FlowReference } from '@millrace/runs';
import { LineLimit } from '@millrace/service';
import type { Counter, Logger, Metrics } from '@millrace/service';
import { DatabaseStuckError } from './database-watch';
import { IngestAnswer } from './ingest-answer';

const LONGEST_PATH = 500;
const OUTAGES = [DatabaseUnavailableError, DatabaseStuckError, GroupCommitFullError, GroupCommitClosedError];

export interface RefusedWebhook {
  readonly refusal: IngestAnswer;
  /** What the refusal was made of. */
  readonly error?: unknown;
  readonly requestId: string | null;
  /** Without the query, which may hold a key. */
  readonly path: string;
  /** The flow, when it was found before the webhook was refused. */
  readonly flow?: FlowReference | null;
}

/** Writes one line for each webhook that is refused: at `info` for what its sender can change, else at `warn` or `error`. */
export class RefusedWebhookLog {
  readonly #logger: Logger;
  readonly #limit: LineLimit;
  readonly #refused: Counter;

  constructor({ logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics }) {
    this.#logger = logger;
    this.#refused = metrics.counter('millrace_webhooks_refused_total', 'Webhooks that were refused, by code');
    this.#limit = new LineLimit({ logger, metrics, about: 'refused webhooks' });
  }

  write({ refusal, error, requestId, path, flow }: RefusedWebhook): void {
    const { code, status, message: reason } = refusal;
    this.#refused.add(1, { code });
    if (!this.#limit.allows(flow ? `${code} of flow ${flow.id}` : code)) return;
    const fields = {
      ...(requestId === null ? {} : { requestId }),
      path: path.slice(0, LONGEST_PATH),
      ...(flow ? { flowId: flow.id, userId: flow.userId } : {}),
      ...{ status, code, reason },
      ...(error === undefined || error === refusal ? {} : { error }),
    };
    this.#logger[levelOf(refusal, error)](fields, 'webhook refused');
  }

  close(): void {
    this.#limit.close();
  }
}

function levelOf({ status }: IngestAnswer, error: unknown): 'info' | 'warn' | 'error' {
  if (status < 500) return 'info';
  const isForeseen = error instanceof IngestAnswer || OUTAGES.some((kind) => error instanceof kind);
  return isForeseen ? 'warn' : 'error';
}
