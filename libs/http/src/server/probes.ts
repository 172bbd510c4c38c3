import type { ServerResponse } from 'node:http';
import { redactText } from '@millrace/service';
import type { Health, Metrics } from '@millrace/service';

export interface Probes {
  readonly health: Pick<Health, 'ready'>;
  readonly metrics: Pick<Metrics, 'prometheusText'>;
}

/**
 * Answers /health and /healthz (liveness), /readyz (each check; 503 when a needed one fails) and /metrics, any other
 * path with 404. Never rejects.
 */
export async function answerProbe(probes: Probes, target: string, response: ServerResponse): Promise<void> {
  try {
    await answer(probes, target.split('?', 1)[0] ?? '', response);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    sendJson(response, 500, { detail: message });
  }
}

async function answer({ health, metrics }: Probes, path: string, response: ServerResponse): Promise<void> {
  if (path === '/health' || path === '/healthz') return sendJson(response, 200, { status: 'ok' });
  if (path === '/metrics')
    return send(response, 200, 'text/plain; version=0.0.4; charset=utf-8', await metrics.prometheusText());
  if (path !== '/readyz') return sendJson(response, 404, { detail: 'Not Found' });
  const readiness = await health.ready();
  sendJson(response, readiness.ready ? 200 : 503, readiness);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json', redactText(JSON.stringify(body)));
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(body);
}
