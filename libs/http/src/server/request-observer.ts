import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AccessLogRule, Counter, Histogram, Logger, Metrics } from '@millrace/service';
import { readRequestId } from '../request-id';
import { isSampled } from './is-sampled';
import { factsOf } from './request-facts';

const SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];
/** Routes of probes and scrapers, whose successful answers have no line. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics', '/health', '/health_check']);
/** Status of a request whose caller disconnected before the answer began. */
const CALLER_DISCONNECTED = 499;

export interface RequestObserverOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly accessLog: AccessLogRule;
  /** Requests that are counted from the start; the others appear with their first one. */
  readonly expected: { readonly routes: readonly string[]; readonly statuses: readonly string[] };
}

/** Counts and measures the requests of a server, and writes the access log. */
export class RequestObserver {
  readonly #logger: Logger;
  readonly #rule: AccessLogRule;
  readonly #requests: Counter;
  readonly #seconds: Histogram;
  /** Bytes that a connection had received and sent at the end of its previous request. */
  readonly #bytesBefore = new WeakMap<Socket, { read: number; written: number }>();

  constructor({ logger, metrics, accessLog, expected }: RequestObserverOptions) {
    this.#logger = logger;
    this.#rule = accessLog;
    this.#requests = metrics.counter(
      'millrace_http_requests_total',
      'HTTP requests, by method, route and status; 499 when the caller disconnected before the answer',
      { labels: { method: ['POST'], route: expected.routes, status: expected.statuses } },
    );
    this.#seconds = metrics.histogram(
      'millrace_http_request_duration_seconds',
      'Time from the head of an HTTP request to the end of its answer, by method and route',
      { unit: 's', boundaries: SECONDS },
    );
  }

  /** Must be called when a request begins. */
  observe(request: IncomingMessage, response: ServerResponse): void {
    const started = performance.now();
    response.once('close', () => this.#end(request, response, performance.now() - started));
  }

  #end(request: IncomingMessage, response: ServerResponse, milliseconds: number): void {
    const { method = '' } = request;
    const route = factsOf(request).route ?? routeWithoutHandler(request);
    const isAborted = !response.writableFinished;
    const status = isAborted && !response.headersSent ? CALLER_DISCONNECTED : response.statusCode;
    this.#requests.add(1, { method, route, status: String(status) });
    this.#seconds.record(milliseconds / 1_000, { method, route });
    const bytes = this.#bytesOf(request.socket);
    const requestId = requestIdOf(request, response);
    if (!this.#hasLine(route, status, requestId)) return;
    const { userId, flowId, runId } = factsOf(request);
    // One shape for all lines, since spreading costs more than writing. The logger leaves out what is undefined.
    const fields = {
      requestId: requestId ?? undefined,
      runId: runId ?? response.getHeader('x-run-id'),
      userId: userId ?? undefined,
      flowId: flowId ?? undefined,
      method,
      route,
      status,
      milliseconds: Math.round(milliseconds * 100) / 100,
      bytesIn: bytes.bytesIn,
      bytesOut: bytes.bytesOut,
      aborted: isAborted || undefined,
    };
    this.#logger.info(fields, 'request answered');
  }

  #hasLine(route: string, status: number, requestId: string | null): boolean {
    const { errors, share } = this.#rule;
    if (status >= 400) return errors;
    return share > 0 && !PROBES.has(route) && isSampled(requestId, share);
  }

  /** Bytes of the connection since its previous request: headers and body. Pipelined requests are counted together. */
  #bytesOf(socket: Socket): { bytesIn: number; bytesOut: number } {
    const { bytesRead: read, bytesWritten: written } = socket;
    const before = this.#bytesBefore.get(socket);
    if (before === undefined) {
      this.#bytesBefore.set(socket, { read, written });
      return { bytesIn: read, bytesOut: written };
    }
    const bytes = { bytesIn: read - before.read, bytesOut: written - before.written };
    before.read = read;
    before.written = written;
    return bytes;
  }
}

/** Returns the path of a probe, which no route serves in a service without an API. */
function routeWithoutHandler({ url = '' }: IncomingMessage): string {
  const path = url.split('?', 1)[0] ?? '';
  return PROBES.has(path) ? path : 'unmatched';
}

/** Returns the id that the server assigned, or that of the service which forwarded the request. */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string | null {
  const id = response.getHeader('x-request-id') ?? request.headers['x-request-id'];
  return readRequestId(typeof id === 'string' ? id : undefined);
}
