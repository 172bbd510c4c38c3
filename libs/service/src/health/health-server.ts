import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../metrics/metrics';
import { redactText } from '../logging/redaction';
import type { Health } from './health';

export interface HealthServerOptions {
  /** 0 selects a free port. */
  readonly port: number;
  readonly host: string;
  readonly health: Health;
  readonly metrics: Metrics;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves /healthz (liveness), /readyz (each check, 503 when one fails) and /metrics, for a process without an API. */
export async function startHealthServer({
  port,
  host,
  health,
  metrics,
}: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(request, response, health, metrics).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      send(response, 500, 'application/json', JSON.stringify({ detail: redactText(message) }));
    });
  });
  server.requestTimeout = 10_000;
  server.maxConnections = 100;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  health: Health,
  metrics: Metrics,
): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  if (path === '/healthz') return send(response, 200, 'application/json', '{"status":"ok"}');
  if (path === '/metrics')
    return send(response, 200, 'text/plain; version=0.0.4; charset=utf-8', await metrics.prometheusText());
  if (path !== '/readyz') return send(response, 404, 'application/json', '{"detail":"Not Found"}');
  const readiness = await health.ready();
  send(response, readiness.ready ? 200 : 503, 'application/json', redactText(JSON.stringify(readiness)));
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(body);
}
