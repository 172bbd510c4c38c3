import { errorCodes } from './error-codes';
import type { ErrorCode } from './error-codes';

export interface HttpErrorOptions {
  /** Only for codes with several statuses; the first one otherwise. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A request that cannot be served. `detail` becomes the body `{"detail": …}`: a text, or a list of items. */
export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, detail: unknown, options: HttpErrorOptions = {}) {
    super(typeof detail === 'string' ? detail : code, { cause: options.cause });
    this.name = 'HttpError';
    this.code = code;
    this.status = options.status ?? errorCodes[code].statuses[0];
    this.detail = detail;
    this.headers = options.headers ?? {};
  }
}
