import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, nameTrace, readRequestId, RequestObserver } from '@millrace/http';
import type { AccessLogRule, Health, Logger, Metrics } from '@millrace/service';
import { answerError } from './answers/answer-error';
import type { RequestLog } from './request-log';

/** Statuses of runs that are counted from the start. */
const EXPECTED_STATUSES = ['200', '202', '429', '500', '503', '504'];

export interface RequestHookOptions {
  readonly health: Health;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly accessLog: AccessLogRule;
  readonly requests: RequestLog;
  /** The routes whose answers are counted from the start. */
  readonly countedRoutes: readonly string[];
}

/** Creates the function that handles every request first. It returns false when it has answered the request. */
export function createRequestHook(options: RequestHookOptions) {
  const { health, logger, metrics, accessLog, requests, countedRoutes } = options;
  const expected = { routes: countedRoutes, statuses: EXPECTED_STATUSES };
  const observer = new RequestObserver({ logger, metrics, accessLog, expected });
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    observer.observe(request, response);
    if (!applyCommonHeaders(request, response)) return false;
    // A client that keeps its connection open would send its next request to a server that has stopped.
    if (health.isShuttingDown) response.setHeader('connection', 'close');
    enforceBodyTimeouts(request, response, requests);
    return true;
  };
}

const ALLOWED_METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

/**
 * Sets the headers that every answer has, including the request id (the caller's own when it is valid), the trace
 * if it is recorded, and the CORS headers. Any origin is allowed, without credentials. Answers CORS preflight requests; returns false for these.
 */
function applyCommonHeaders(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('x-request-id', readRequestId(request.headers['x-request-id']) ?? randomUUID());
  nameTrace(response);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  const { origin } = request.headers;
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-expose-headers', '*');
    response.setHeader('vary', 'Origin');
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      response.setHeader('access-control-allow-methods', ALLOWED_METHODS);
      response.setHeader(
        'access-control-allow-headers',
        request.headers['access-control-request-headers'] ?? '*',
      );
      response.setHeader('access-control-max-age', '600');
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('OK');
      return false;
    }
  }
  // No valid path or parameter contains NUL, and the database would reject it.
  if (request.url?.includes('%00')) throw new HttpError('undecodable_url', 'The URL cannot be decoded.');
  return true;
}

/** Time limit for a whole body. */
const BODY_MILLISECONDS = 10_000;
/** Minimum number of bytes of an upload in each such interval. */
const UPLOAD_RATE = { milliseconds: 30_000, bytes: 30_720 };
/** Uploads can be large and slow, so only their rate is limited. */
const UPLOADS = /^\/api\/(?:v1\/files\/upload\/|v2\/files\/?(?:\?|$))/;

/** Disconnects a sender whose body does not arrive in time. */
function enforceBodyTimeouts(request: IncomingMessage, response: ServerResponse, log: RequestLog): void {
  if (!hasBody(request)) return;
  const timer = UPLOADS.test(request.url ?? '')
    ? watchUploadRate(request, response, log)
    : setTimeout(disconnect, BODY_MILLISECONDS, request, response, log);
  request.once('close', () => clearTimeout(timer));
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function watchUploadRate(
  request: IncomingMessage,
  response: ServerResponse,
  log: RequestLog,
): NodeJS.Timeout {
  let before = request.socket.bytesRead;
  return setInterval(() => {
    const now = request.socket.bytesRead;
    if (now - before < UPLOAD_RATE.bytes) disconnect(request, response, log);
    before = now;
  }, UPLOAD_RATE.milliseconds);
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
