import { setTimeout as pause } from 'node:timers/promises';
import { flowData, node } from '@millrace/testing';
import { until } from '@millrace/service/testing';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';
import { startCountingModel } from './counting-model';
import type { CountingModel } from './counting-model';
import { killProcesses } from './kill-processes';

/** Increase it for a long manual run. */
const RUNS = Number(process.env['TEST_BUDGETED_RUNS'] ?? 100);
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
  const day = async () => (await system.getJson<{ spend: { day: Amounts } }>(path)).spend.day;
  return { headers: { ...system.headers, 'x-api-key': api_key }, day };
}

type Key = Awaited<ReturnType<typeof newKey>>;

/** Runs a flow with a caller that waits; resolves to the status and the code of an error. */
async function run(flow: string, { headers }: Key): Promise<readonly [number, string | null]> {
  const body = { input_value: 'How much is it?', session_id: crypto.randomUUID() };
  const answer = await system.post(`/api/v1/run/${flow}`, body, { headers });
  await answer.arrayBuffer();
  return [answer.status, answer.headers.get('x-error-code')];
}

/** Starts background runs, and resolves to the states in which they end. */
async function runInBackground(flow: string, { headers }: Key, count: number): Promise<readonly string[]> {
  const states: string[] = [];
  const one = async () => {
    const body = { input_value: 'How much is it?', session_id: crypto.randomUUID() };
    let answer: Response | undefined;
    await until(async () => {
      answer = await system
        .post(`/api/v1/run/${flow}`, body, { headers: { ...headers, prefer: 'respond-async' } })
        .catch(() => undefined);
      return answer?.status === 202;
    });
    const { run_id } = (await answer?.json()) as { run_id: string };
    let state = '';
    await until(async () => {
      const found = await system.getJson<{ status: string; error: { code: string } | null }>(
        `/api/v1/runs/${run_id}`,
      );
      state = found.error?.code ?? found.status;
      return ['succeeded', 'failed', 'dead', 'timed_out'].includes(found.status);
    });
    states.push(state);
  };
  for (let started = 0; started < count; started += 20)
    await Promise.all(Array.from({ length: Math.min(20, count - started) }, one));
  return states;
}

test('without kills the spend of a key equals the count of the server of the model', async () => {
  await newFlow('exact');
  const key = await newKey('exact', { tokens_per_day: 10_000_000, dollars_per_day: 100 });
  model.reset();
  const answers = await Promise.all(Array.from({ length: 20 }, () => run('exact', key)));
  expect(answers).toEqual(answers.map(() => [200, null]));
  expect(new Set(await runInBackground('exact', key, 20))).toEqual(new Set(['succeeded']));
  const { calls, tokens } = model.counts;
  const output = calls * COMPLETION_TOKENS;
  const dollars = ((tokens - output) * PRICE.input + output * PRICE.output) / 1e6;
  expect(calls).toBe(40);
  expect(await key.day()).toMatchObject({ tokens, reserved_tokens: 0, reserved_dollars: 0 });
  expect((await key.day()).dollars).toBeCloseTo(dollars, 8);
}, 300_000);

test('runs in parallel never exceed the budget of their key', async () => {
  await newFlow('parallel');
  model.reset();
  const budget = 3_000;
  const key = await newKey('parallel', { tokens_per_day: budget });
  const ends = await Promise.all(Array.from({ length: 60 }, () => run('parallel', key)));
  expect(model.counts.tokens).toBeLessThanOrEqual(budget);
  expect(ends.filter(([status]) => status === 200).length).toBe(model.counts.calls);
  expect(new Set(ends.map(String))).toEqual(new Set(['200,', '402,budget_exceeded']));
  expect(await key.day()).toMatchObject({
    tokens: model.counts.tokens,
    reserved_tokens: 0,
    tokens_left: budget - model.counts.tokens,
  });
}, 300_000);

test('while executors are killed, spend is never less than the count of the server, and more by the lost calls alone', async () => {
  await newFlow('killed');
  const key = await newKey('killed', { tokens_per_day: 10_000_000 });
  model.reset();
  const stop = new AbortController();
  const killing = killProcesses(system, stop.signal);
  const states = await runInBackground('killed', key, RUNS);
  // A kill must have met a call.
  for (let further = 0; further < 20 && (await key.day()).reserved_tokens === 0; further += 1)
    await runInBackground('killed', key, 10);
  stop.abort();
  const kills = await killing;
  await pause(500);
  const { tokens, reserved_tokens } = await key.day();
  console.log(
    `${RUNS} runs, ${kills} kills: server ${model.counts.tokens}, settled ${tokens}, reserved ${reserved_tokens}`,
  );
  expect(states.filter((state) => state !== 'succeeded' && state !== 'attempts_exhausted')).toEqual([]);
  expect(tokens).toBeLessThanOrEqual(model.counts.tokens);
  expect(tokens + reserved_tokens).toBeGreaterThanOrEqual(model.counts.tokens);
  const { rows } = await system.database.query<{ sum: string }>(
    `SELECT sum(tokens) AS sum FROM budget_reservations`,
  );
  expect(Number(rows[0]?.sum)).toBe(reserved_tokens);
}, 600_000);
