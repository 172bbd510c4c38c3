import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerError } from './answer-error';
import { RequestError } from './request-error';
import type { RequestLog } from './request-log';

export interface BodyPatienceOptions {
  readonly log: RequestLog;
  /** Within this, a whole body must have come. */
  readonly bodyMilliseconds: number;
  /** Within each such time, an upload must bring at least this much. */
  readonly uploadPace: { readonly milliseconds: number; readonly bytes: number };
}

/** Uploads may be large, and their senders slow: what counts for them is that they get on. */
const UPLOADS = /^\/api\/(?:v1\/files\/upload\/|v2\/files\/?(?:\?|$))/;

/** Cuts off a sender whose body does not come, so that nobody holds a connection for nothing. */
export function watchBody(
  request: IncomingMessage,
  response: ServerResponse,
  options: BodyPatienceOptions,
): void {
  if (!hasBody(request)) return;
  const timer = UPLOADS.test(request.url ?? '')
    ? watchPace(request, response, options)
    : setTimeout(cutOff, options.bodyMilliseconds, request, response, options.log);
  request.once('close', () => clearTimeout(timer));
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function watchPace(
  request: IncomingMessage,
  response: ServerResponse,
  { log, uploadPace: { milliseconds, bytes } }: BodyPatienceOptions,
): NodeJS.Timeout {
  let before = request.socket.bytesRead;
  return setInterval(() => {
    const now = request.socket.bytesRead;
    if (now - before < bytes) cutOff(request, response, log);
    before = now;
  }, milliseconds);
}

function cutOff(request: IncomingMessage, response: ServerResponse, log: RequestLog): void {
  if (request.complete) return;
  if (!response.headersSent) {
    const headers = { connection: 'close' };
    answerError(response, new RequestError('body_late', 'The body did not come in time.', { headers }), log);
  }
  // The answer is handed over first; the sender hears it before the connection ends.
  setImmediate(() => request.destroy());
}
