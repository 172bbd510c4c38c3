import { flowData, node } from '@millrace/testing';
import { until } from '@millrace/service/testing';
import { startCountingModel } from '../faults/counting-model';
import type { CountingModel } from '../faults/counting-model';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

const BUDGET = 60_000;

let system: TestSystem;
let model: CountingModel;
let flowId = '';

beforeAll(async () => {
  model = await startCountingModel({ completionTokens: 5_000, maximumDelayMilliseconds: 5 });
  system = await startTestSystem({ pools: { default: 2 }, environment: { OPENAI_BASE_URL: model.url } });
  const created = await system.post('/api/v1/flows/', {
    name: 'loop',
    endpoint_name: 'loop',
    data: endless(),
  });
  expect(created.status).toBe(201);
  flowId = ((await created.json()) as { id: string }).id;
  const put = await fetch(`${system.url}/api/v1/limits/flows/${flowId}`, {
    method: 'PUT',
    headers: system.headers,
    body: JSON.stringify({ budget: { tokens_per_run: BUDGET } }),
  });
  expect(put.status).toBe(200);
}, 120_000);

afterAll(async () => {
  await system?.stop();
  model?.close();
}, 60_000);

/** An agent whose model asks for its calculator without an end. */
function endless() {
  const chosen = { type: 'model', value: [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }] };
  const settings = { input_value: '', add_calculator_tool: true, max_iterations: 1_000 };
  return flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node('Agent-a', { model: chosen, ...settings }, 'response'),
      node('ChatOutput-o', { input_value: '' }, 'message'),
    ],
    ['ChatInput-i.message > Agent-a.input_value', 'Agent-a.response > ChatOutput-o.input_value'],
  );
}

const TEXT =
  /^The call of the model \\?"gpt-4o-mini\\?" was not made: the budget of this flow, 60000 tokens a run, has \d+ left, and the call can take \d+\.$/;

interface FoundRun {
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Resolves to the newest run of the flow once it has ended. */
async function newestRun(): Promise<FoundRun> {
  let found: FoundRun | undefined;
  await until(async () => {
    const { runs } = await system.getJson<{ runs: readonly { id: string }[] }>(
      `/api/v1/runs?flow_id=${flowId}&limit=1`,
    );
    if (runs[0] === undefined) return false;
    found = await system.getJson<FoundRun>(`/api/v1/runs/${runs[0].id}`);
    return found.status === 'failed';
  });
  if (found === undefined) throw new Error('there is no run');
  return found;
}

const doors: readonly (readonly [string, number, () => Promise<Response>])[] = [
  ['a run with a caller', 402, () => system.post('/api/v1/run/loop', { input_value: 'x' })],
  ['a streamed run', 200, () => system.post('/api/v1/run/loop?stream=true', { input_value: 'x' })],
  [
    'a background run',
    202,
    () =>
      system.post(
        '/api/v1/run/loop',
        { input_value: 'x' },
        { headers: { ...system.headers, prefer: 'respond-async' } },
      ),
  ],
  ['a webhook', 202, () => system.post('/api/v1/webhook/loop', { any: 'thing' })],
  [
    'a workflow',
    402,
    () => system.post('/api/v2/workflows', { flow_id: flowId, input_value: 'x', mode: 'sync' }),
  ],
  ['AG-UI', 200, () => system.post('/api/v1/agui/loop', agUiInput())],
  [
    'chat completions',
    402,
    () =>
      system.post('/v1/chat/completions', {
        model: 'loop',
        messages: [{ role: 'user', content: 'x' }],
      }),
  ],
];

function agUiInput(): object {
  return {
    threadId: 't',
    runId: 'r',
    state: {},
    messages: [{ id: 'm', role: 'user', content: 'x' }],
    tools: [],
    context: [],
    forwardedProps: {},
  };
}

test.each(doors)(
  'an agent in an endless loop of tools ends before its budget is exceeded: %s',
  async (_, status, start) => {
    await system.database.query('DELETE FROM runs');
    model.reset();
    const answer = await start();
    const text = await answer.text();
    expect(answer.status).toBe(status);
    if (status !== 202) expect(text).toContain('the budget of this flow, 60000 tokens a run');
    const { error } = await newestRun();
    expect(error?.code).toBe('budget_exceeded');
    expect(error?.message).toMatch(TEXT);
    expect(model.counts.calls).toBeGreaterThan(3);
    expect(model.counts.tokens).toBeLessThanOrEqual(BUDGET);
  },
);

test('an end user of a key spends their own budget', async () => {
  const made = await system.post('/api/v1/api_key/', { name: 'app', end_users: 'header' });
  const key = (await made.json()) as { readonly id: string; readonly api_key: string };
  const limits = `/api/v1/limits/api_key/${key.id}`;
  const put = await fetch(system.url + limits, {
    method: 'PUT',
    headers: system.headers,
    body: JSON.stringify({ budget: { end_user_tokens_per_day: 20_000 } }),
  });
  expect(put.status).toBe(200);
  const headers = { ...system.headers, 'x-api-key': key.api_key, 'x-end-user-id': 'ann' };
  const answer = await system.post('/api/v1/run/loop', { input_value: 'x' }, { headers });
  expect(answer.status).toBe(402);
  expect(await answer.text()).toContain('the budget of this end user, 20000 tokens a day');
  const spentBy = async (endUser: string) =>
    (await system.getJson<{ spend: { day: object } }>(`${limits}?end_user_id=${endUser}`)).spend.day;
  const left = { tokens: expect.any(Number), reserved_tokens: 0, tokens_left: expect.any(Number) };
  expect(await spentBy('ann')).toMatchObject(left);
  expect(await spentBy('ann')).not.toMatchObject({ tokens: 0 });
  expect(await spentBy('bob')).toMatchObject({ tokens: 0, tokens_left: 20_000 });
  const path = `/api/v1/runs/${answer.headers.get('x-run-id')}/replay`;
  for (const [body, by] of [
    [{ input_value: 'y' }, headers],
    [{}, system.headers],
  ] as const) {
    const replayed = await system.post(path, body, { headers: by });
    expect(replayed.status).toBe(202);
    const { runs } = (await replayed.json()) as { readonly runs: readonly { replayed_as: string }[] };
    const replay = `/api/v1/runs/${runs[0]?.replayed_as}`;
    await until(async () => (await system.getJson<FoundRun>(replay)).status === 'failed');
    expect((await system.getJson<FoundRun>(replay)).error?.message).toContain('the budget of this end user');
  }
});
