import type { ServerResponse } from 'node:http';
import { errorCodes, factsOf } from '@millrace/http';
import type { HttpError } from '@millrace/http';
import { LineLimit } from '@millrace/service';
import type { Counter, Logger, Metrics } from '@millrace/service';
import { requestIdOf } from './routing/route';

const MAXIMUM_TEXT_LENGTH = 500;

export interface RequestLogOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Writes one log line for each request that is answered with an error: at `info` for errors that the caller can fix, at
 * `error` with the stack for unexpected errors, at `warn` for all others. A request whose run failed has the run's
 * line.
 */
export class RequestLog {
  readonly #logger: Logger;
  readonly #limit: LineLimit;
  readonly #logRefusal: Counter;
  readonly #suppressed = new WeakSet<ServerResponse>();

  constructor({ logger, metrics }: RequestLogOptions) {
    this.#logger = logger;
    this.#logRefusal = metrics.counter(
      'millrace_requests_refused_total',
      'Requests answered with an error, by code',
      { labels: { code: Object.keys(errorCodes) } },
    );
    this.#limit = new LineLimit({ logger, metrics, about: 'refused requests' });
  }

  /** Suppresses the line of a request whose run is logged with the request's id. */
  suppress(response: ServerResponse): void {
    this.#suppressed.add(response);
  }

  /** Logs an error that is about to be sent; `status` where another one is sent. */
  logRefusal(response: ServerResponse, error: HttpError, status = error.status): void {
    const { code } = error;
    this.#logRefusal.add(1, { code });
    if (this.#suppressed.has(response)) return;
    const { userId } = factsOf(response.req);
    if (!this.#limit.allows(userId === null ? code : `${code} of user ${userId}`)) return;
    this.#logger[levelOf(error)](fieldsOf(response, error, status), 'request refused');
  }

  close(): void {
    this.#limit.close();
  }
}

function levelOf({ code, status }: HttpError): 'info' | 'warn' | 'error' {
  if (code === 'internal') return 'error';
  // Every other 500 is about a run that failed earlier, which was logged then.
  return status > 500 ? 'warn' : 'info';
}

function fieldsOf(response: ServerResponse, error: HttpError, status: number): object {
  const { method, url = '' } = response.req;
  const { userId } = factsOf(response.req);
  const runId = error.headers['x-run-id'] ?? response.getHeader('x-run-id');
  return {
    requestId: requestIdOf(response),
    method,
    // Without the query, which can contain a key.
    path: shortened(url.split('?', 1)[0] ?? ''),
    ...(userId === null ? {} : { userId }),
    ...(runId === undefined ? {} : { runId }),
    status,
    code: error.code,
    reason: shortened(reasonOf(error)),
    ...(error.cause === undefined || error.status < 500 ? {} : { error: error.cause }),
  };
}

/** Returns the text of an error; of a list of items the first one. Never the input, which can contain secrets. */
function reasonOf({ detail }: HttpError): string {
  if (typeof detail === 'string') return detail;
  const [first] = Array.isArray(detail) ? (detail as readonly unknown[]) : [detail];
  if (typeof first !== 'object' || first === null) return '';
  const { loc, msg, message } = first as { loc?: unknown; msg?: unknown; message?: unknown };
  const place = Array.isArray(loc) ? `${loc.join('.')}: ` : '';
  return `${place}${String(msg ?? message ?? '')}`;
}

function shortened(text: string): string {
  return text.length <= MAXIMUM_TEXT_LENGTH ? text : `${text.slice(0, MAXIMUM_TEXT_LENGTH)}…`;
}
