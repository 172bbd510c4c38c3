import { errorCodes } from './error-codes';
import type { ErrorCode } from './error-codes';

export interface HttpErrorOptions {
  /** Only for codes with several statuses; the first one otherwise. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
  /** The body of the answer, for interfaces with an error shape of their own. */
  readonly body?: object;
}

/** A request that cannot be served. `detail` is a text or a list of items; the body is `{"detail": …}` unless given. */
export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;

  constructor(code: ErrorCode, detail: unknown, options: HttpErrorOptions = {}) {
    super(typeof detail === 'string' ? detail : code, { cause: options.cause });
    this.name = 'HttpError';
    this.code = code;
    this.status = options.status ?? errorCodes[code].statuses[0];
    this.detail = detail;
    this.headers = options.headers ?? {};
    this.body = options.body ?? { detail };
  }
}
