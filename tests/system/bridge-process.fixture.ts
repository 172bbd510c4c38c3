import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const BRIDGES = join(__dirname, '..', '..', 'examples', 'bridges');

/** A running bridge of `examples/bridges`. */
export interface Bridge {
  /** What it has written. */
  readonly lines: readonly string[];
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a bridge by the name of its file; resolves when it is ready, rejects when it ends before. */
export async function startBridge(
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<Bridge> {
  const child = spawn(process.execPath, [join(BRIDGES, name)], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const ended = once(child, 'exit') as Promise<[number | null]>;
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (line.includes('"bridge ready"')) resolve();
      });
    void ended.then(([code]) =>
      reject(new Error(`${name} ended with ${code} before it was ready:\n${lines.join('\n')}`)),
    );
  });
  return {
    lines,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      const [code] = await ended;
      return code;
    },
  };
}

/** A proxy in front of the webhooks of a system, which records what was accepted. */
export interface WebhookRecorder {
  readonly url: string;
  /** The idempotency keys of the requests whose 202 has arrived here: before it arrives at the bridge. */
  readonly accepted: ReadonlySet<string>;
  /** The number of answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

/** Starts a proxy; a request that the system does not answer ends without an answer. */
export async function startWebhookRecorder(system: string): Promise<WebhookRecorder> {
  const accepted = new Set<string>();
  const statuses = new Map<number, number>();
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const key = String(request.headers['idempotency-key']);
    const body = Buffer.concat(await request.toArray());
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      ['host', 'connection', 'content-length', 'transfer-encoding'].includes(name)
        ? []
        : [[name, String(value)]],
    );
    const answer = await fetch(new URL(request.url ?? '', system), { method: 'POST', headers, body });
    const text = await answer.text();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status === 202) accepted.add(key);
    const retryAfter = answer.headers.get('retry-after');
    response.writeHead(answer.status, retryAfter === null ? {} : { 'retry-after': retryAfter });
    response.end(text);
  };
  const server = createServer((request, response) => {
    forward(request, response).catch(() => request.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    statuses,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
