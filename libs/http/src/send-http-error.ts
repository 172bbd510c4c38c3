import type { ServerResponse } from 'node:http';
import type { HttpError } from './http-error';

/** Sends an error as the whole answer, with its code in `X-Error-Code`. */
export function sendHttpError(response: ServerResponse, error: HttpError): void {
  const { status, code, headers } = error;
  const body = JSON.stringify(error.body);
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-error-code': code,
  });
  response.end(body);
}
