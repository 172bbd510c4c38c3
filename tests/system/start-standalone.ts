import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from '@millrace/scaled-system';
import type { ServiceProcess } from '@millrace/scaled-system';

export interface StandaloneOptions {
  /** Settings; the database, the broker and the key-value store are the embedded ones. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** A free one unless given. */
  readonly port?: number;
  /** A folder of data that stays; a new one unless given, which goes with the process. */
  readonly data?: string;
}

/** The bundle in a process of its own, as `npm start` starts it. */
export interface Standalone {
  readonly service: ServiceProcess;
  readonly url: string;
  /** The key of the settings, or that which the first start on the data printed; else empty. */
  readonly key: string;
  /** Those of a request in JSON with this key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly lines: readonly string[];
  readonly data: string;
  /** Sends a request with a body in JSON and the key, unless another one is given. */
  send(method: string, path: string, body?: unknown, as?: string): Promise<Response>;
  /** As `send`; resolves to the body of the answer. Rejects unless it succeeds. */
  call<Body>(method: string, path: string, body?: unknown, as?: string): Promise<Body>;
  stop(): Promise<void>;
}

export async function startStandalone({
  environment = {},
  flags = [],
  port = 0,
  data,
}: StandaloneOptions = {}): Promise<Standalone> {
  const folder = data ?? mkdtempSync(join(tmpdir(), 'millrace-standalone-'));
  const lines: string[] = [];
  const service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', String(port), '--data', folder, ...flags],
    environment: { DATABASE_URL: '', AMQP_URL: '', REDIS_URL: '', LOG_LEVEL: 'info', ...environment },
    print: (line) => lines.push(line),
  });
  const url = `http://127.0.0.1:${String(service.ready['port'])}`;
  const printed = /sk-[\w-]{43}/.exec(lines.join('\n'))?.[0];
  const key = environment['MILLRACE_BOOTSTRAP_API_KEY'] ?? printed ?? '';
  const headersOf = (as: string) => ({ 'x-api-key': as, 'content-type': 'application/json' });
  const send: Standalone['send'] = (method, path, body, as = key) =>
    fetch(url + path, {
      method,
      headers: headersOf(as),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    service,
    url,
    key,
    headers: headersOf(key),
    lines,
    data: folder,
    send,
    async call<Body>(...request: Parameters<typeof send>): Promise<Body> {
      const answer = await send(...request);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${request[0]} ${request[1]}: ${answer.status} ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as Body;
    },
    async stop() {
      await service.stop();
      if (data === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
