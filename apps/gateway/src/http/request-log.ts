import type { ServerResponse } from 'node:http';
import { LineLimit } from '@millrace/service';
import type { Counter, Logger, Metrics } from '@millrace/service';
import type { RequestError } from './request-error';
import { requestIdOf } from './request-id';
import type { RoutedRequest } from './route';

const LONGEST_TEXT = 500;

export interface RequestLogOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Writes one line for each request that is answered with an error: at `info` for what its caller can change, else at
 * `warn`, and at `error`, with the stack, for what nobody foresaw. Requests whose run failed have the line of the run.
 */
export class RequestLog {
  readonly #logger: Logger;
  readonly #limit: LineLimit;
  readonly #refused: Counter;
  readonly #leftToRuns = new WeakSet<ServerResponse>();

  constructor({ logger, metrics }: RequestLogOptions) {
    this.#logger = logger;
    this.#refused = metrics.counter(
      'millrace_requests_refused_total',
      'Requests answered with an error, by code',
    );
    this.#limit = new LineLimit({ logger, metrics, about: 'refused requests' });
  }

  /** The run that the request asked for has a line with the request's id. */
  leaveToRun(response: ServerResponse): void {
    this.#leftToRuns.add(response);
  }

  /** The request is about to be answered with this error; `status` where that is told with another one. */
  refused(response: ServerResponse, error: RequestError, status = error.status): void {
    const { code } = error;
    this.#refused.add(1, { code });
    if (this.#leftToRuns.has(response)) return;
    const { userId } = response.req as RoutedRequest;
    if (!this.#limit.allows(userId === undefined ? code : `${code} of user ${userId}`)) return;
    this.#logger[levelOf(error)](fieldsOf(response, error, status), 'request refused');
  }

  close(): void {
    this.#limit.close();
  }
}

function levelOf({ code, status }: RequestError): 'info' | 'warn' | 'error' {
  if (code === 'internal') return 'error';
  // Every other 500 tells of a run that failed before, and had its line then.
  return status > 500 ? 'warn' : 'info';
}

function fieldsOf(response: ServerResponse, error: RequestError, status: number): object {
  const { method, url = '', userId } = response.req as RoutedRequest;
  const runId = error.headers['x-run-id'] ?? response.getHeader('x-run-id');
  return {
    requestId: requestIdOf(response),
    method,
    // A key may be in the query.
    path: shortened(url.split('?', 1)[0] ?? ''),
    ...(userId === undefined ? {} : { userId }),
    ...(runId === undefined ? {} : { runId }),
    status,
    code: error.code,
    reason: shortened(reasonOf(error)),
    ...(error.cause === undefined || error.status < 500 ? {} : { error: error.cause }),
  };
}

/** The text of an error; of a list of faults the first one. Never the input, which may hold secrets. */
function reasonOf({ detail }: RequestError): string {
  if (typeof detail === 'string') return detail;
  const [first] = Array.isArray(detail) ? (detail as readonly unknown[]) : [detail];
  if (typeof first !== 'object' || first === null) return '';
  const { loc, msg, message } = first as { loc?: unknown; msg?: unknown; message?: unknown };
  const place = Array.isArray(loc) ? `${loc.join('.')}: ` : '';
  return `${place}${String(msg ?? message ?? '')}`;
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
