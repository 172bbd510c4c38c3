import type { ServerResponse } from 'node:http';
import type { HttpError } from './http-error';

/** Sends an error as the whole answer, in the shape that Langflow's clients read, with its code in `X-Error-Code`. */
export function sendHttpError(response: ServerResponse, { status, code, detail, headers }: HttpError): void {
  const body = JSON.stringify({ detail });
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-error-code': code,
  });
  response.end(body);
}
