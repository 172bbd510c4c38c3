import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createMetrics, createOutgoingDial } from '@millrace/service';
import { EgressProxy } from './egress-proxy';
import { runners, SealedSnippets } from './testing/sealed-snippets';
import { sealedWork } from './testing/sealed-work';

/** Logged lines about calls that were refused. */
const lines: object[] = [];
let server: Server;
let echo: ReturnType<typeof createTcpServer>;
let proxy: EgressProxy;
let folder: string;
const metrics = createMetrics();

beforeAll(async () => {
  server = createServer((request, response) => {
    void buffer(request).then((body) => {
      response.setHeader('x-proxied', String(request.headers['proxy-connection'] ?? 'no'));
      if (request.url === '/large') return response.end(Buffer.alloc(3_000_000, 'y'));
      response.end(`${request.method} ${request.url} ${request.headers.host} ${body.length}`);
    });
  }).listen(0, '127.0.0.1');
  echo = createTcpServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(echo, 'listening')]);
  folder = mkdtempSync(join(tmpdir(), 'egress-'));
  const note = (fields: object) => void lines.push(fields);
  proxy = await EgressProxy.start({
    path: join(folder, 'egress.sock'),
    dial: createOutgoingDial({
      allow: ['127.0.0.1'],
      resolve: (name, answer) =>
        answer(null, [{ address: name === 'allowed.test' ? '127.0.0.1' : '10.1.2.3', family: 4 }]),
    }),
    logger: { info: note, warn: note, error: note },
    metrics,
    maximumConnections: 40,
  });
  // The processes of the tests run as other users than the proxy.
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'egress.sock'), 0o777);
});
afterAll(async () => {
  await proxy.close();
  server.close();
  echo.close();
  rmSync(folder, { recursive: true, force: true });
  await metrics.close();
});

const port = (listening: Pick<Server, 'address'>) => String((listening.address() as AddressInfo).port);

describe.each(runners())('as $user, in a sealed process', (runner) => {
  const snippets = new SealedSnippets(runner);
  afterAll(() => snippets.remove());

  const missing = snippets.missingLayers();
  if (missing !== '') {
    test('nothing runs, since this machine lacks a layer of the seal', () => {
      expect(missing).toMatch(/^The process is not sealed\. Missing: \w+ \(/);
    });
    return;
  }

  test.each(sealedWork)('$title', async ({ code, returns }) => {
    const replaced = code.replaceAll('HTTP_PORT', port(server)).replaceAll('ECHO_PORT', port(echo));
    const [result] = await snippets.run({
      egressSocket: join(folder, 'egress.sock'),
      snippets: [{ name: 'work', code: replaced, sealed: true }],
    });
    expect(result?.seal?.level).toBe('sealed');
    expect(result?.outcome).toBe(`returned ${JSON.stringify(returns)}`.replaceAll('HTTP_PORT', port(server)));
  });
});

test('refused calls are logged with the process and counted', async () => {
  expect(lines).toContainEqual(
    expect.objectContaining({ process: 'work', outcome: 'refused', host: 'private.test', port: 80 }),
  );
  const text = await metrics.prometheusText();
  expect(text).toMatch(/millrace_python_egress_total\{[^}]*outcome="refused"[^}]*\} [1-9]/);
  expect(text).toMatch(/millrace_python_egress_total\{[^}]*outcome="connected"[^}]*\} [1-9]/);
});
