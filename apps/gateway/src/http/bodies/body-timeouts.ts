import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '@millrace/http';
import { answerError } from '../answers/answer-error';
import type { RequestLog } from '../request-log';

export interface BodyTimeoutOptions {
  readonly log: RequestLog;
  /** Time limit for a whole body. */
  readonly bodyMilliseconds: number;
  /** Minimum number of bytes of an upload in each such interval. */
  readonly uploadRate: { readonly milliseconds: number; readonly bytes: number };
}

/** Uploads can be large and slow, so only their rate is limited. */
const UPLOADS = /^\/api\/(?:v1\/files\/upload\/|v2\/files\/?(?:\?|$))/;

/** Disconnects a sender whose body does not arrive in time. */
export function enforceBodyTimeouts(
  request: IncomingMessage,
  response: ServerResponse,
  options: BodyTimeoutOptions,
): void {
  if (!hasBody(request)) return;
  const timer = UPLOADS.test(request.url ?? '')
    ? watchUploadRate(request, response, options)
    : setTimeout(disconnect, options.bodyMilliseconds, request, response, options.log);
  request.once('close', () => clearTimeout(timer));
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function watchUploadRate(
  request: IncomingMessage,
  response: ServerResponse,
  { log, uploadRate: { milliseconds, bytes } }: BodyTimeoutOptions,
): NodeJS.Timeout {
  let before = request.socket.bytesRead;
  return setInterval(() => {
    const now = request.socket.bytesRead;
    if (now - before < bytes) disconnect(request, response, log);
    before = now;
  }, milliseconds);
}

function disconnect(request: IncomingMessage, response: ServerResponse, log: RequestLog): void {
  if (request.complete) return;
  if (!response.headersSent) {
    const headers = { connection: 'close' };
    answerError(response, new HttpError('body_late', 'The body did not arrive in time.', { headers }), log);
  }
  // Lets the answer be sent before the connection is closed.
  setImmediate(() => request.destroy());
}
