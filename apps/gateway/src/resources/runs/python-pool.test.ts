import type { Job } from '@millrace/messages';
import { until } from '@millrace/service/testing';
import { openTestGateway } from '../../testing/test-gateway';
import { FlowClassifier } from '../../flow-changes/flow-classifier';
import type { TestGateway } from '../../testing/test-gateway';
import { TestExecutor } from '../../testing/test-executor';

const outputs = [{ name: 'result', display_name: 'Result', method: 'build_it', types: ['Message'] }];
const node = (type: string, template: object) => ({
  id: `${type}-1`,
  type: 'genericNode',
  data: { id: `${type}-1`, type, node: { display_name: type, template, outputs, edited: true } },
});
const text = 'class Mill:\n    pass\n';
const mill = { nodes: [node('Mill', { code: { type: 'code', value: text } })], edges: [] };
const edge = (source: string, output: string, target: string) => ({
  source,
  target,
  data: {
    sourceHandle: { id: source, name: output, output_types: ['Message'] },
    targetHandle: { id: target, fieldName: 'input_value', inputTypes: ['Message'] },
  },
});
const chat = {
  nodes: [
    node('ChatInput', {}),
    node('Mill', { code: { type: 'code', value: text }, input_value: { type: 'str', value: '' } }),
    node('ChatOutput', { input_value: { type: 'str', value: '' } }),
  ],
  edges: [edge('ChatInput-1', 'message', 'Mill-1'), edge('Mill-1', 'result', 'ChatOutput-1')],
};
const native = { nodes: [node('TextInput', {})], edges: [] };
const noExecutor = 'The flow needs Python, and no executor of the pool "snakes" is running.';

let gateway: TestGateway;
let millId: string;
beforeAll(async () => {
  const environment = { MILLRACE_PYTHON: 'approved', MILLRACE_PYTHON_POOL: 'snakes' };
  gateway = await openTestGateway({ environment });
  millId = await gateway.createFlow({ name: 'mill', endpoint_name: 'mill', data: mill });
  await gateway.createFlow({ name: 'chat', endpoint_name: 'chat', data: chat });
}, 60_000);
afterAll(() => gateway.close());

async function poolOf(runId: string): Promise<unknown> {
  return ((await gateway.call('GET', `/api/v1/runs/${runId}`)).json as { pool: string }).pool;
}

/** Consumes the background lane of a pool while `during` runs; resolves to the jobs. */
async function consumed(pool: string, during: (jobs: readonly Job[]) => Promise<void>): Promise<void> {
  const jobs: Job[] = [];
  const lane = gateway.names.lane('background', pool);
  const consumer = await gateway.bus.consume(lane, { prefetch: 10 }, async ({ body }) => {
    jobs.push(JSON.parse(body.toString()) as Job);
    return 'done';
  });
  await during(jobs);
  await consumer.close();
}

test.each([
  ['a run', 'POST', '/api/v1/run/mill', {}],
  ['a streamed run', 'POST', '/api/v1/run/mill?stream=true', {}],
  ['a response', 'POST', '/api/v1/responses', { model: 'chat', input: 'x' }],
  ['a workflow', 'POST', '/api/v2/workflows', { flow_id: 'MILL', input_value: 'x' }],
])(
  '%s without an executor with Python is refused; the error names the pool',
  async (_what, method, path, body) => {
    const sent = 'flow_id' in body ? { ...body, flow_id: millId } : body;
    const refused = await gateway.call(method, path, sent);
    expect(refused.text).toContain(noExecutor.replaceAll('"', '\\"'));
    if (!path.endsWith('responses')) expect(refused.status).toBe(503);
  },
);

test('a run in the background waits until an executor with Python starts', async () => {
  const accepted = await gateway.call('POST', '/api/v1/run/mill', {}, { prefer: 'respond-async' });
  expect(accepted.status).toBe(202);
  const { run_id } = accepted.json as { run_id: string };
  expect(await poolOf(run_id)).toBe('snakes');
  await consumed('snakes', async (jobs) => {
    await until(() => jobs.length > 0);
    expect(jobs).toMatchObject([{ runId: run_id, pool: 'snakes', lane: 'background' }]);
  });
});

test('an executor of the pool runs the flow; other flows go to the default pool', async () => {
  await gateway.createFlow({ name: 'plain', endpoint_name: 'plain', data: native });
  const result = { session_id: 's', outputs: [] };
  const python = await new TestExecutor({ ...gateway, pool: 'snakes' }).start();
  for (const executor of [python, gateway.executor]) {
    executor.handleJob = ({ final }) => final('succeeded', result);
  }
  for (const [endpoint, executor] of [
    ['mill', python],
    ['plain', gateway.executor],
  ] as const) {
    expect(await gateway.call('POST', `/api/v1/run/${endpoint}`, {})).toMatchObject({ status: 200 });
    expect(executor.jobs.at(-1)).toMatchObject({ pool: executor === python ? 'snakes' : 'default' });
  }
  await python.stop();
});

test('a change of the flow moves its runs at once, and its settings take precedence', async () => {
  const id = await gateway.createFlow({ name: 'moves', data: native });
  const background = async () => {
    const { json } = await gateway.call('POST', `/api/v1/run/${id}`, {}, { prefer: 'respond-async' });
    return poolOf((json as { run_id: string }).run_id);
  };
  expect(await background()).toBe('default');
  await gateway.call('PATCH', `/api/v1/flows/${id}`, { data: mill });
  expect(await background()).toBe('snakes');
  await gateway.call('PATCH', `/api/v1/flows/${id}`, { settings: { pool: 'default' } });
  expect(await background()).toBe('default');
  await gateway.call('PATCH', `/api/v1/flows/${id}`, { settings: {}, data: native });
  expect(await background()).toBe('default');
});

test('a replay uses the pool that the flow has now', async () => {
  const id = await gateway.createFlow({ name: 'replayed', data: native });
  const { json } = await gateway.call('POST', `/api/v1/run/${id}`, {}, { prefer: 'respond-async' });
  const { run_id: runId } = json as { run_id: string };
  await gateway.runs.claim([{ runId, worker: 'test', redelivered: false }]);
  const failure = { code: 'component_failed', message: 'It broke.', problems: [] } as never;
  await gateway.runs.complete([{ runId, attempt: 1, status: 'failed', result: null, failure, messages: [] }]);
  await gateway.call('PATCH', `/api/v1/flows/${id}`, { data: mill });
  const replayed = await gateway.call('POST', `/api/v1/runs/${runId}/replay`);
  const [{ replayed_as: replay = '' } = {}] = (replayed.json as { runs: { replayed_as: string }[] }).runs;
  expect(await poolOf(replay)).toBe('snakes');
});

test('flows of an earlier release are classified at the start of a gateway', async () => {
  const { id: python } = await gateway.flows.create(gateway.user.id, { name: 'old 1', document: mill });
  const { id: plain } = await gateway.flows.create(gateway.user.id, { name: 'old 2', document: native });
  const { id: broken } = await gateway.flows.create(gateway.user.id, { name: 'old 3', document: [1] });
  const outcomes: unknown[] = [];
  const options = {
    ...gateway,
    classified: { add: (_count: number, attributes?: object) => void outcomes.push(attributes) },
  };
  await gateway.keyValue.delete(['flow-classifier']);
  const [first, second] = [new FlowClassifier(options), new FlowClassifier(options)];
  first.start();
  second.start();
  await until(async () => (await gateway.flows.unclassified(1)).length === 0);
  await first.close();
  await second.close();
  const needs = async (id: string) => (await gateway.flows.resolve(null, id))?.needsPython;
  expect([await needs(python), await needs(plain), await needs(broken)]).toEqual([true, false, false]);
  expect(outcomes).toEqual(expect.arrayContaining([{ outcome: 'python' }, { outcome: 'native' }]));
  expect(outcomes).toHaveLength(3);
});
