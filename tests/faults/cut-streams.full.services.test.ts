import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { streamEvents } from '../system/stream-events';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';

/** Number of streams, and below the number of broker disconnects under each; increase for a long manual run. */
const STREAMS = Number(process.env['TEST_CUT_STREAMS'] ?? 12);
const AT_ONCE = 6;
const CUTS = 2;
const TOKENS = 300;

const links = new Set<Socket>();
let system: TestSystem;
let proxy: Server;
let gatewayUrl: string;

beforeAll(async () => {
  let broker = new URL('amqp://nowhere');
  system = await startTestSystem({
    route: async (urls) => {
      broker = new URL(urls.broker);
      return urls;
    },
  });
  proxy = createServer((client) => {
    const server = connect({ host: broker.hostname, port: Number(broker.port || 5672), noDelay: true });
    client.pipe(server).pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      links.add(one);
      one.on('error', () => undefined).on('close', () => links.delete(one) && other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(broker);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const service = await system.startService({
    app: 'gateway',
    environment: {
      PORT: '0',
      AMQP_URL: url.href,
      INGEST_URL: `http://127.0.0.1:${system.ingestPort}`,
      MILLRACE_BOOTSTRAP_API_KEY: system.key,
    },
  });
  gatewayUrl = `http://127.0.0.1:${String(service.ready['port'])}`;
}, 120_000);

afterAll(async () => {
  await system?.stop();
  for (const link of links) link.destroy();
  proxy.close();
}, 60_000);

/** Resolves to the joined tokens of a stream and the event that ended it. */
async function read(endpoint: string, name: string) {
  const response = await fetch(`${gatewayUrl}/api/v1/run/${endpoint}?stream=true`, {
    method: 'POST',
    headers: system.headers,
    body: JSON.stringify({ input_value: `[[tokens=${TOKENS} interval=10]]`, session_id: name }),
  });
  if (response.status !== 200) return { tokens: '', end: await response.text(), answer: '' };
  let tokens = '';
  for await (const { event, data } of streamEvents(response)) {
    if (event === 'restart') tokens = '';
    else if (event === 'token') tokens += String(data['chunk']);
    else if (event === 'end' || event === 'error')
      return { tokens, end: event, answer: JSON.stringify(data) };
  }
  return { tokens, end: 'nothing', answer: '' };
}

/** Waits until the gateway is connected to the broker again. */
async function untilReady(endpoint: string): Promise<void> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    const { headers } = system;
    const answer = await fetch(`${gatewayUrl}/api/v1/run/${endpoint}`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    await answer.text();
    if (answer.ok) return;
    await pause(50);
  }
  throw new Error('the gateway did not reconnect to the broker');
}

/** Resolves to the metrics of stream gaps at the gateway. */
async function gaps(): Promise<readonly string[]> {
  const text = await (await fetch(`${gatewayUrl}/metrics`)).text();
  return text.split('\n').filter((metric) => metric.startsWith('millrace_stream_gaps_total'));
}

test('a stream whose gateway briefly loses the broker delivers every token or ends with an error', async () => {
  const { endpoint } = await system.upload('chat');
  const ends: Record<string, number> = {};
  for (let started = 0; started < STREAMS; started += AT_ONCE) {
    const streams = Array.from({ length: AT_ONCE }, (_, index) =>
      read(endpoint, `stream-${started + index}`),
    );
    for (let cut = 0; cut < CUTS; cut += 1) {
      await pause(600 + Math.random() * 1_000);
      for (const link of links) link.resetAndDestroy();
      await pause(50);
      await untilReady(endpoint);
    }
    for (const { tokens, end, answer } of await Promise.all(streams)) {
      const kind = end === 'error' ? answer : end;
      ends[kind] = (ends[kind] ?? 0) + 1;
      if (end !== 'end') continue;
      expect(tokens.split(' ').length).toBeGreaterThanOrEqual(TOKENS);
      expect(answer).toContain(JSON.stringify(tokens).slice(1, -1));
    }
  }
  if (process.env['TEST_CUT_STREAMS'])
    process.stderr.write(`${JSON.stringify({ ends, gaps: await gaps() })}\n`);
  // A gateway that reconnects late has already ended its streams with an error; some streams must have completed.
  expect([ends['nothing'], (ends['end'] ?? 0) > 0]).toEqual([undefined, true]);
}, 600_000);
