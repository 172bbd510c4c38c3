import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { freePort, TcpProxy } from '@millrace/testing';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';

const CALLERS = 64;
const MILLISECONDS = Number(process.env['TEST_LIMITS_SECONDS'] ?? 12) * 1_000;
const WINDOW_MILLISECONDS = 10_000;
const PATIENCE_MILLISECONDS = 20_000;
/** What is granted of a limit within a window. */
const SHARE = 1.05;
const PER_SECOND = 40;
const CONCURRENT = 16;
const WAITING = 20;
const BODY_BYTES = 200_000;
const BODY = JSON.stringify({ input_value: 'x'.repeat(500) });

let system: TestSystem;
let redis: TcpProxy;
/** Where requests with a caller are sent: two gateways; where webhooks are: two ingest services. */
let gateways: readonly string[] = [];
let ingests: readonly string[] = [];

beforeAll(async () => {
  system = await startTestSystem({
    pools: { default: 2 },
    environment: { MILLRACE_TOTAL_WORKERS: '2' },
    async route(urls) {
      const url = new URL(urls.keyValue);
      redis = await TcpProxy.listen({ host: url.hostname, port: Number(url.port) });
      url.host = `127.0.0.1:${redis.port}`;
      return { ...urls, keyValue: url.href };
    },
  });
  const [port, ingestPort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  const urls = { PORT: String(port), INGEST_URL: `http://127.0.0.1:${ingestPort}` };
  await system.startService({ app: 'gateway', name: 'gateway-2', environment: urls });
  const environment = { MILLRACE_INGEST_PORT: String(ingestPort) };
  await system.startService({ app: 'ingest', name: 'ingest-2', environment });
  gateways = [system.url, `http://127.0.0.1:${port}`];
  ingests = [system.ingestPort, ingestPort].map((each) => `http://127.0.0.1:${each}`);
}, 120_000);

afterAll(async () => {
  await system?.stop();
  await redis?.close();
}, 60_000);

/** A new flow with these limits, of which every process knows. */
async function limitedFlow(limits: object, settings: object = {}): Promise<{ id: string; endpoint: string }> {
  const flow = await system.upload('echo', (document) => void (document.settings = { ...settings }));
  const { status } = await fetch(`${system.url}/api/v1/limits/flows/${flow.id}`, {
    method: 'PUT',
    headers: system.headers,
    body: JSON.stringify(limits),
  });
  expect(status).toBe(200);
  return flow;
}

/** A request that was granted, in milliseconds: not before `from`, not after `to`. */
interface Granted {
  readonly from: number;
  readonly to: number;
}

type Send = (caller: number) => Promise<Response>;

const run =
  ({ endpoint }: { readonly endpoint: string }, headers: Record<string, string> = {}): Send =>
  (caller) =>
    fetch(`${gateways[caller % gateways.length]}/api/v1/run/${endpoint}`, {
      method: 'POST',
      headers: { ...system.headers, ...headers },
      body: BODY,
    });

const webhook =
  ({ endpoint }: { readonly endpoint: string }): Send =>
  (caller) =>
    fetch(`${ingests[caller % ingests.length]}/api/v1/webhook/${endpoint}`, {
      method: 'POST',
      headers: system.headers,
      body: BODY,
    });

/** A quarter of the callers at each door. */
const everywhere = (flow: { readonly endpoint: string }): Send => {
  const doors = [run(flow, { prefer: 'respond-async' }), webhook(flow)];
  return (caller) => doors[caller % 2]!(Math.floor(caller / 2));
};

/**
 * Lets all callers send one request after the other, each of them until it was granted one; resolves to what each was granted.
 * Other answers are 429 with this code.
 */
async function ask(send: Send, code: string, milliseconds = MILLISECONDS): Promise<Granted[][]> {
  const started = performance.now();
  const isOver = (granted: readonly Granted[]) => {
    const elapsed = performance.now() - started;
    return elapsed >= milliseconds && (granted.length > 0 || elapsed >= milliseconds + PATIENCE_MILLISECONDS);
  };
  return Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      const granted: Granted[] = [];
      while (!isOver(granted)) {
        const from = performance.now();
        const response = await send(caller);
        const text = await response.text();
        if (response.status < 300) granted.push({ from, to: performance.now() });
        else expect([response.status, response.headers.get('x-error-code'), text]).toEqual([429, code, text]);
        await pause(20 + Math.random() * 30);
      }
      return granted;
    }),
  );
}

/** The most that was granted within a window of this length, whatever the delay of an answer. */
function mostWithin(granted: readonly Granted[], milliseconds = WINDOW_MILLISECONDS): number {
  const within = (begin: number) =>
    granted.filter(({ from, to }) => from >= begin && to <= begin + milliseconds).length;
  return Math.max(0, ...granted.map(({ from }) => within(from)));
}

/**
 * Where a busy machine keeps Redis from answering in time, gateways and ingest services each divide the limit among themselves
 * meanwhile: the processes say so.
 */
function share(): number {
  return system.lines.some((line) => line.includes('Redis does not count')) ? 2 * SHARE : SHARE;
}

function expectNoneStarved(granted: readonly (readonly Granted[])[]): void {
  expect(granted.filter((ofCaller) => ofCaller.length === 0)).toEqual([]);
}

/** The most runs of a flow that executors had at a time. */
async function mostRunning({ id }: { readonly id: string }): Promise<number> {
  const { rows } = await system.database.query<{ most: number }>(
    `WITH changes AS (
       SELECT started_at AS at, 1 AS change FROM runs WHERE flow_id = $1 AND started_at IS NOT NULL
       UNION ALL SELECT finished_at, -1 FROM runs WHERE flow_id = $1 AND finished_at IS NOT NULL
     ) SELECT max(running)::int AS most FROM (SELECT sum(change) OVER (ORDER BY at, change) AS running FROM changes) AS sums`,
    [id],
  );
  return rows[0]?.most ?? 0;
}

async function waiting({ id }: { readonly id: string }): Promise<number> {
  const { rows } = await system.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM runs WHERE flow_id = $1 AND lane = 'background' AND started_at IS NULL
       AND status IN ('accepted', 'queued')`,
    [id],
  );
  return rows[0]?.count ?? 0;
}

/** The most runs of a flow that waited at a time until the signal. */
async function mostWaiting(flow: { readonly id: string }, stopped: AbortSignal): Promise<number> {
  let most = 0;
  while (!stopped.aborted) {
    most = Math.max(most, await waiting(flow));
    await pause(10);
  }
  return most;
}

test('two gateways and two ingest services grant requests a second once, and starve no caller', async () => {
  const flow = await limitedFlow({ requests_per_second: PER_SECOND });
  const granted = await ask(everywhere(flow), 'rate_limited');
  expect(mostWithin(granted.flat())).toBeLessThanOrEqual(
    (PER_SECOND * share() * WINDOW_MILLISECONDS) / 1_000,
  );
  expectNoneStarved(granted);
});

test('they run as many runs at a time as the limit says, and starve no caller', async () => {
  const flow = await limitedFlow({ concurrent_runs: CONCURRENT });
  const granted = await ask(run(flow), 'too_many_callers');
  expectNoneStarved(granted);
  // The records of runs are stored after their answers.
  await until(async () => {
    const { rows } = await system.database.query('SELECT FROM runs WHERE flow_id = $1', [flow.id]);
    return rows.length >= granted.flat().length;
  });
  expect(await mostRunning(flow)).toBeLessThanOrEqual(CONCURRENT * share());
});

test('they let as many background runs wait as the limit says, and starve no caller', async () => {
  const flow = await limitedFlow({ waiting_runs: WAITING }, { concurrency: 2 });
  const stop = new AbortController();
  const most = mostWaiting(flow, stop.signal);
  const granted = await ask(everywhere(flow), 'too_many_waiting');
  stop.abort();
  expect(await most).toBeLessThanOrEqual(WAITING * share());
  expect(await most).toBeGreaterThan(0);
  expectNoneStarved(granted);
});

test('they take as many bytes of bodies a day as the limit says', async () => {
  const flow = await limitedFlow({ body_bytes_per_day: BODY_BYTES });
  const granted = await ask(everywhere(flow), 'rate_limited', 5_000);
  const bytes = granted.flat().length * Buffer.byteLength(BODY);
  expect(bytes).toBeLessThanOrEqual(BODY_BYTES * share());
  expect(bytes).toBeGreaterThan(BODY_BYTES / 2);
  expectNoneStarved(granted);
});

describe('while Redis is away', () => {
  beforeAll(async () => {
    redis.set({ isRefusing: true });
    redis.cut();
  });

  afterAll(() => redis.clear());

  test('they grant at most twice the requests a second', async () => {
    const flow = await limitedFlow({ requests_per_second: PER_SECOND });
    const granted = await ask(everywhere(flow), 'rate_limited');
    expect(mostWithin(granted.flat())).toBeLessThanOrEqual((PER_SECOND * 2 * WINDOW_MILLISECONDS) / 1_000);
    expectNoneStarved(granted);
  });

  test('they let at most twice as many background runs wait', async () => {
    const flow = await limitedFlow({ waiting_runs: WAITING }, { concurrency: 4 });
    const stop = new AbortController();
    const most = mostWaiting(flow, stop.signal);
    const granted = await ask(everywhere(flow), 'too_many_waiting');
    stop.abort();
    expect(await most).toBeLessThanOrEqual(WAITING * 2);
    expect(granted.flat().length).toBeGreaterThan(WAITING);
  });

  test('they take at most as many bytes of bodies as the limit of a day', async () => {
    const flow = await limitedFlow({ body_bytes_per_day: BODY_BYTES });
    const granted = await ask(everywhere(flow), 'rate_limited', 5_000);
    expect(granted.flat().length * Buffer.byteLength(BODY)).toBeLessThanOrEqual(BODY_BYTES);
    expect(granted.flat().length).toBeGreaterThan(0);
  });
});
