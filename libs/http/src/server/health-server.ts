import { createServer } from 'node:http';
import { listen } from './listen';
import type { ListenAddress } from './listen';
import { answerProbe } from './probes';
import type { Probes } from './probes';

export interface HealthServerOptions extends ListenAddress, Probes {}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves /healthz, /readyz and /metrics, for a process without an API. */
export async function startHealthServer({
  port,
  host,
  ...probes
}: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => void answerProbe(probes, request.url ?? '', response));
  server.requestTimeout = 10_000;
  server.maxConnections = 100;
  return {
    port: await listen(server, { host, port }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
