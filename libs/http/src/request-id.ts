const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Returns the id of an `X-Request-Id` header; null when it is missing or unsuitable for logs and headers. */
export function readRequestId(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : null;
}
