const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The id in an `X-Request-Id` header; null when there is none or it is not fit for logs and headers. */
export function readRequestId(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : null;
}
