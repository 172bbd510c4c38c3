import { setTimeout as pause } from 'node:timers/promises';
import { flowData, node } from '@millrace/testing';
import { until, untilSuccess } from '@millrace/service/testing';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';
import { startCountingModel } from './counting-model';
import type { CountingModel } from './counting-model';
import { killGateways, killProcesses } from './kill-processes';

/** Increase it for a long manual run. */
const RUNS = Number(process.env['TEST_BUDGETED_RUNS'] ?? 1_000);
/** Half of them wait for the answers of their runs. */
const CALLERS = 48;
/** A slow machine asks for fewer runs; and where no kill met a call, others are tried so long. */
const ASKING_MILLISECONDS = 240 * RUNS;
const SETTLED_MILLISECONDS = 3_000;
const COMPLETION_TOKENS = 7;
/** Of gpt-4o-mini, for a million tokens. */
const PRICE = { input: 0.15, output: 0.6 };

let system: TestSystem;
let model: CountingModel;

beforeAll(async () => {
  model = await startCountingModel({ completionTokens: COMPLETION_TOKENS, maximumDelayMilliseconds: 100 });
  system = await startTestSystem({ pools: { default: 2 }, environment: { OPENAI_BASE_URL: model.url } });
}, 120_000);

afterAll(async () => {
  await system?.stop();
  model?.close();
}, 60_000);

interface Amounts {
  readonly dollars: number;
  readonly tokens: number;
  readonly reserved_dollars: number;
  readonly reserved_tokens: number;
  readonly tokens_left: number | null;
}

async function newFlow(name: string): Promise<string> {
  const chosen = { type: 'model', value: [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }] };
  const data = flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node(
        'LanguageModelComponent-m',
        { model: chosen, input_value: '', stream: false, max_tokens: 50 },
        'text_output',
      ),
      node('ChatOutput-o', { input_value: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > LanguageModelComponent-m.input_value',
      'LanguageModelComponent-m.text_output > ChatOutput-o.input_value',
    ],
  );
  const created = await system.post('/api/v1/flows/', { name, endpoint_name: name, data });
  expect(created.status).toBe(201);
  return ((await created.json()) as { id: string }).id;
}

async function newKey(name: string, budget: object) {
  const { id, api_key } = (await (await system.post('/api/v1/api_key/', { name })).json()) as {
    id: string;
    api_key: string;
  };
  const path = `/api/v1/limits/api_key/${id}`;
  const put = await fetch(`${system.url}${path}`, {
    method: 'PUT',
    headers: system.headers,
    body: JSON.stringify({ budget }),
  });
  expect(put.status).toBe(200);
  // While processes are killed, a request can fail.
  const day = () =>
    untilSuccess(async () => (await system.getJson<{ spend: { day: Amounts } }>(path)).spend.day);
  return { headers: { ...system.headers, 'x-api-key': api_key }, day };
}

type Key = Awaited<ReturnType<typeof newKey>>;

interface Ask {
  readonly url?: string;
  readonly inBackground?: boolean;
}

/** Asks for a run; resolves to the status and the code of an error, and to null where the gateway was killed. */
async function run(flow: string, { headers }: Key, { url = system.url, inBackground = false }: Ask = {}) {
  const answer = await fetch(`${url}/api/v1/run/${flow}`, {
    method: 'POST',
    headers: { ...headers, ...(inBackground && { prefer: 'respond-async' }) },
    body: JSON.stringify({ input_value: 'How much is it?', session_id: crypto.randomUUID() }),
  }).catch(() => null);
  // The body can be cut off, too.
  if ((await answer?.arrayBuffer().catch(() => null)) == null) return null;
  return [answer?.status, answer?.headers.get('x-error-code')] as const;
}

/** Resolves to how many runs of a flow ended in each state, once all have ended. */
async function ends(flowId: string): Promise<Readonly<Record<string, number>>> {
  let counts: Record<string, number> = {};
  await until(
    async () => {
      await pause(200);
      const { rows } = await system.database.query<{ state: string; count: number }>(
        `SELECT coalesce(failure::json ->> 'code', status) AS state, count(*)::int AS count FROM runs WHERE flow_id = $1 GROUP BY 1`,
        [flowId],
      );
      counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
      return !['accepted', 'queued', 'running'].some((state) => state in counts);
    },
    'runs did not end',
    240_000,
  );
  return counts;
}

/** The list price of what the server of the model was asked and answered. */
function dollarsOf({ calls, tokens }: CountingModel['counts']): number {
  const output = calls * COMPLETION_TOKENS;
  return ((tokens - output) * PRICE.input + output * PRICE.output) / 1e6;
}

test('without kills the spend of a key equals the count of the server of the model', async () => {
  const flow = await newFlow('exact');
  const key = await newKey('exact', { tokens_per_day: 10_000_000, dollars_per_day: 100 });
  model.reset();
  const start = async (inBackground: boolean) => {
    // The database of a busy machine can be late.
    await until(async () => Number((await run('exact', key, { inBackground }))?.[0]) < 300);
  };
  await Promise.all(Array.from({ length: 40 }, (_, number) => start(number % 2 === 0)));
  expect(Object.keys(await ends(flow))).toEqual(['succeeded']);
  const { calls, tokens } = model.counts;
  expect(calls).toBeGreaterThanOrEqual(40);
  expect(await key.day()).toMatchObject({ tokens, reserved_tokens: 0, reserved_dollars: 0 });
  expect((await key.day()).dollars).toBeCloseTo(dollarsOf(model.counts), 8);
}, 300_000);

test('runs in parallel never exceed the budget of their key', async () => {
  await newFlow('parallel');
  model.reset();
  const budget = 3_000;
  const key = await newKey('parallel', { tokens_per_day: budget });
  const answers = await Promise.all(Array.from({ length: 60 }, () => run('parallel', key)));
  expect(model.counts.tokens).toBeLessThanOrEqual(budget);
  expect(answers.filter((answer) => answer?.[0] === 200).length).toBe(model.counts.calls);
  expect(new Set(answers.map(String))).toEqual(new Set(['200,', '402,budget_exceeded']));
  expect(await key.day()).toMatchObject({
    tokens: model.counts.tokens,
    reserved_tokens: 0,
    tokens_left: budget - model.counts.tokens,
  });
}, 300_000);

/** Compares the spend with an earlier count of the server, again and again; resolves to how often. */
async function watchSpend(key: Key, stopped: AbortSignal): Promise<number> {
  for (let times = 0; ; times += 1) {
    const before = { ...model.counts };
    const day = await key.day();
    expect(day.tokens + day.reserved_tokens).toBeGreaterThanOrEqual(before.tokens);
    expect(day.dollars + day.reserved_dollars).toBeGreaterThanOrEqual(dollarsOf(before) - 1e-9);
    if (stopped.aborted) return times;
    await pause(20);
  }
}

/** What was asked for under kills. */
interface Asked {
  runs: number;
  kills: number;
  gatewayKills: number;
  readonly answers: Record<string, number>;
}

/** Asks for runs while processes are killed, an executor at least once, until all are asked for or the time is over. */
async function askUnderKills(key: Key, asked: Asked, giveUpAt: number): Promise<void> {
  const stop = new AbortController();
  let isOver = false;
  const gateways = killGateways(system, stop.signal);
  // Callers ask until the last kill, so that each can meet their calls.
  const killing = killProcesses(system, stop.signal).finally(() => (isOver = true));
  const ask = async (caller: number) => {
    while (!isOver) {
      const url = caller % 4 < 2 ? gateways.kills.url : system.url;
      const answer = await run('killed', key, { url, inBackground: caller % 2 === 0 });
      if (answer !== null) asked.runs += 1;
      if (asked.runs >= RUNS || performance.now() > giveUpAt) stop.abort();
      // Callers that do not wait for their runs would ask for more than executors run.
      if (answer === null || answer[0] === 202) await pause(100);
      const name = answer?.filter((part) => part !== null).join(' ') ?? 'cut off';
      asked.answers[name] = (asked.answers[name] ?? 0) + 1;
    }
  };
  const asking = Promise.all(Array.from({ length: CALLERS }, (_, caller) => ask(caller)));
  const [kills] = await Promise.all([killing, gateways.done, asking.finally(() => stop.abort())]);
  asked.kills += kills;
  asked.gatewayKills += gateways.kills.count;
}

/** Resolves to the reservations of a flow, all of whose runs have ended, once those that are left are of killed attempts. */
async function lostCalls(flowId: string): Promise<readonly { readonly tokens: number }[]> {
  let lost: { tokens: number; attempt: number | null }[] = [];
  let seen = '';
  let since = performance.now();
  await until(async () => {
    await pause(100);
    ({ rows: lost } = await system.database.query<{ tokens: number; attempt: number | null }>(
      `SELECT tokens::int, attempt FROM budget_reservations LEFT JOIN runs ON runs.id = run_id
       WHERE budget_reservations.flow_id = $1`,
      [flowId],
    ));
    // Runs without a row can go on after their callers were cut off, and executors store what calls cost after their end.
    const now = `${model.counts.calls} ${lost.length}`;
    if (now !== seen) [seen, since] = [now, performance.now()];
    return performance.now() - since > SETTLED_MILLISECONDS && !lost.some(({ attempt }) => attempt === 1);
  }, 'a call of a first attempt is not settled, or the model is still asked');
  return lost;
}

test(
  'while executors, gateways and ingest services are killed, spend is never less than the count of the server, and more by the lost calls alone',
  async () => {
    const flow = await newFlow('killed');
    const key = await newKey('killed', { tokens_per_day: 100_000_000, dollars_per_day: 1_000 });
    model.reset();
    const stop = new AbortController();
    const watching = watchSpend(key, stop.signal);
    // It is awaited after the rounds.
    watching.catch(() => undefined);
    const asked: Asked = { runs: 0, kills: 0, gatewayKills: 0, answers: {} };
    const giveUpAt = performance.now() + ASKING_MILLISECONDS;
    let states: Readonly<Record<string, number>>;
    let reservations: readonly { readonly tokens: number }[];
    try {
      // A kill must have met a call.
      do {
        await askUnderKills(key, asked, giveUpAt);
        states = await ends(flow);
        reservations = await lostCalls(flow);
      } while (reservations.length === 0 && performance.now() < giveUpAt);
    } finally {
      stop.abort();
    }
    const compared = await watching;
    const { tokens, reserved_tokens, dollars, reserved_dollars } = await key.day();
    const ofOneCall = model.counts.tokens / model.counts.calls;
    const lost = model.counts.calls - tokens / ofOneCall;
    console.log(
      `${asked.runs} runs, ${asked.kills + asked.gatewayKills} kills, ${compared} comparisons: ` +
        `server ${model.counts.tokens} in ${model.counts.calls} calls, ` +
        `settled ${tokens}, ${lost} calls lost, reserved ${reserved_tokens} of ${reservations.length} calls; ` +
        `answers ${JSON.stringify(asked.answers)}, ends ${JSON.stringify(states)}`,
    );
    expect(asked.gatewayKills).toBeGreaterThan(0);
    expect(reservations.length).toBeGreaterThan(0);
    expect(tokens + reserved_tokens).toBeGreaterThanOrEqual(model.counts.tokens);
    expect(dollars + reserved_dollars).toBeGreaterThanOrEqual(dollarsOf(model.counts) - 1e-9);
    // What was settled is what the server counted of calls that were not lost; each lost call is a reservation of an attempt that was killed.
    expect(lost).toBeGreaterThanOrEqual(0);
    expect(lost).toBeLessThanOrEqual(reservations.length);
    expect(dollars).toBeCloseTo(dollarsOf({ calls: tokens / ofOneCall, tokens }), 8);
    expect(reservations.reduce((sum, each) => sum + each.tokens, 0)).toBe(reserved_tokens);
  },
  ASKING_MILLISECONDS + 360_000,
);
