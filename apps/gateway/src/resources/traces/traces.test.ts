import { sendControlMessage } from '@millrace/dispatch';
import { controlTopology, readControlMessage } from '@millrace/messages';
import type { FlowRecord, InteractiveRun, RunTrace, RunUsage, VertexTrace } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';
import type { TakenJob } from '../../testing/test-executor';
import { gatewayForTests } from '../../testing/test-gateway';

const model = { provider: 'OpenAI', model: 'gpt-4o', calls: 2, inputTokens: 100, outputTokens: 20 };
const priced = { ...model, cost: 0.00045, unpricedCalls: 0 };
const usage: RunUsage = {
  calls: 2,
  inputTokens: 100,
  outputTokens: 20,
  cost: 0.00045,
  unpricedCalls: 0,
  models: [priced],
};
const times = { start: 0, end: 5, milliseconds: 5, longest: 5, executions: 1 };
const sizes = { inputBytes: 10, outputBytes: 20 };
const vertices: readonly VertexTrace[] = [
  {
    id: 'ChatInput-a',
    name: 'Chat Input',
    type: 'ChatInput',
    state: 'succeeded',
    ...times,
    ...sizes,
    inputs: { input_value: 'hello' },
    outputs: { message: { text: 'hello' } },
  },
  {
    id: 'Agent-b',
    name: 'Agent',
    type: 'Agent',
    state: 'failed',
    ...times,
    start: 5,
    end: 1_205,
    milliseconds: 1_200,
    longest: 700,
    executions: 2,
    inputBytes: null,
    outputBytes: 0,
    models: [priced],
    toolCalls: 3,
    calls: [
      {
        kind: 'tool',
        name: 'search',
        state: 'failed',
        start: 7,
        end: 9,
        error: 'down',
        arguments: { q: 'x' },
      },
    ],
    error: 'refused',
    inputs: { input_value: 'hello' },
    outputs: {},
  },
];

let flow: FlowRecord;
const gateway = gatewayForTests();
beforeEach(async () => {
  flow = await gateway.flows.create(gateway.user.id, { name: `flow ${uuidv7()}`, document: {} });
});

const get = async (path: string) => gateway.call('GET', `/api/v1/${path}`);
const traceOf = (changes: Partial<RunTrace> = {}): RunTrace => ({
  version: 1,
  attempt: 1,
  reason: 'failed',
  vertices,
  omitted: 7,
  startedAt: Date.parse('2026-01-02T03:04:05.000Z'),
  milliseconds: 1_210,
  ...changes,
});

/** Records a failed run of the flow. */
async function record(trace: RunTrace | null, changes: Partial<InteractiveRun> = {}): Promise<string> {
  const run: InteractiveRun = {
    id: uuidv7(),
    flowId: flow.id,
    flowVersion: 1,
    userId: gateway.user.id,
    lane: 'interactive',
    pool: 'default',
    origin: 'run',
    sessionId: 'session',
    limitMilliseconds: 1,
    maximumAttempts: 3,
    attempt: 1,
    worker: 'w',
    status: 'failed',
    result: null,
    failure: null,
    messages: [],
    acceptedAt: new Date(),
    startedAt: new Date(),
    finishedAt: new Date(),
    request: {
      form: 'simple',
      inputs: [],
      outputs: { by: 'type', type: 'chat' },
      tweaks: {},
      stream: false,
      sessionId: 'session',
      globalVariables: {},
    },
    trace: trace && JSON.stringify(trace),
    usage: JSON.stringify(usage),
    ...changes,
  };
  await gateway.runs.record([run]);
  return run.id;
}

test('a run says what its vertices did and what it used', async () => {
  const id = await record(traceOf());
  const used = { input_tokens: 100, output_tokens: 20, cost_usd: 0.00045, unpriced_calls: 0 };
  const models = [{ provider: 'OpenAI', model: 'gpt-4o', calls: 2, ...used }];
  const whole = { model_calls: 2, ...used, total_tokens: 120, models };
  expect((await get(`runs/${id}/trace`)).json).toEqual({
    run_id: id,
    flow_id: flow.id,
    session_id: 'session',
    status: 'failed',
    attempt: 1,
    reason: 'failed',
    started_at: '2026-01-02T03:04:05+00:00',
    milliseconds: 1_210,
    usage: whole,
    omitted_executions: 7,
    vertices: [
      expect.objectContaining({ id: 'ChatInput-a', models: [], tool_calls: 0, error: null }),
      {
        id: 'Agent-b',
        name: 'Agent',
        type: 'Agent',
        flow_id: flow.id,
        state: 'failed',
        executions: 2,
        start_milliseconds: 5,
        end_milliseconds: 1_205,
        milliseconds: 1_200,
        longest_milliseconds: 700,
        input_bytes: null,
        output_bytes: 0,
        tool_calls: 3,
        models,
        calls: [
          {
            kind: 'tool',
            name: 'search',
            provider: null,
            state: 'failed',
            start_milliseconds: 7,
            end_milliseconds: 9,
            input_tokens: null,
            output_tokens: null,
            cost_usd: null,
            error: 'down',
            earlier_messages: 0,
            messages: null,
            answer: null,
            arguments: { q: 'x' },
            result: null,
          },
        ],
        error: 'refused',
        inputs: { input_value: 'hello' },
        outputs: {},
      },
    ],
  });
  expect((await get(`runs/${id}`)).json).toMatchObject({ usage: whole });
});

test('a run without records is distinguished from an unknown run', async () => {
  const id = await record(null, { usage: null });
  expect(await get(`runs/${id}/trace`)).toMatchObject({
    status: 404,
    json: { detail: 'The run has no vertex records' },
  });
  expect(await get(`runs/${uuidv7()}/trace`)).toMatchObject({
    status: 404,
    json: { detail: 'Run not found' },
  });
  expect((await get(`runs/${id}`)).json).toMatchObject({ usage: null });
});

test('traces in Langflow’s shape: a page, filters, a span for each vertex', async () => {
  const first = await record(traceOf(), { sessionId: 'evening' });
  const second = await record(traceOf({ reason: 'sampled' }), { status: 'succeeded', result: '{}' });
  const summary = {
    id: first,
    name: flow.name,
    status: 'error',
    startTime: '2026-01-02T03:04:05.000Z',
    totalLatencyMs: 1_210,
    totalTokens: 120,
    flowId: flow.id,
    sessionId: 'evening',
    input: { input_value: 'hello' },
    output: null,
  };
  const list = async (query: string) => {
    const { json } = await get(`monitor/traces?flow_id=${flow.id}${query}`);
    return json as { traces: { id: string }[]; total: number; pages: number };
  };
  expect(await list('')).toEqual({
    traces: [expect.objectContaining({ id: second, status: 'ok' }), summary],
    total: 2,
    pages: 1,
  });
  for (const [query, ids] of [
    ['&status=ok', [second]],
    ['&status=error', [first]],
    ['&status=unset', []],
    ['&session_id=evening', [first]],
    ['&query=EVEN', [first]],
    ['&end_time=2026-01-01', []],
    ['&start_time=2026-01-01T00:00:00Z', [second, first]],
    ['&size=1&page=2', [first]],
    ['&size=1&page=0', [second]],
  ] as const)
    expect([query, (await list(query)).traces.map(({ id }) => id)]).toEqual([query, ids]);
  expect((await list('&size=1')).pages).toBe(2);

  const { spans, ...whole } = (await get(`monitor/traces/${first}`)).json as { spans: unknown[] };
  expect(whole).toEqual({ ...summary, endTime: '2026-01-02T03:04:06.210Z' });
  expect(spans).toEqual([
    expect.objectContaining({ name: 'Chat Input', type: 'chain', status: 'ok', modelName: null }),
    {
      id: expect.any(String),
      name: 'Agent',
      type: 'agent',
      status: 'error',
      latencyMs: 1_200,
      startTime: '2026-01-02T03:04:05.005Z',
      endTime: '2026-01-02T03:04:06.205Z',
      inputs: { input_value: 'hello' },
      outputs: {},
      error: 'refused',
      modelName: 'gpt-4o',
      tokenUsage: { promptTokens: 100, completionTokens: 20, totalTokens: 120 },
      children: [],
    },
  ]);
});

test.each([
  ['status=bad', 'query.status'],
  ['start_time=never', 'query.start_time'],
  ['size=0', 'query.size'],
  ['page=-1', 'query.page'],
  ['flow_id=x', 'query.flow_id'],
])('traces with the filter %s are refused', async (query, place) => {
  const { status, json } = await get(`monitor/traces?${query}`);
  expect([status, (json as { detail: { loc: string[] }[] }).detail[0]?.loc.join('.')]).toEqual([422, place]);
});

test('the vertices of a run in progress are asked of its executor, where the reader wants that', async () => {
  const { bus, names, executor } = gateway;
  const topology = controlTopology(names, 'an-executor');
  await bus.provision(topology);
  const asked: string[] = [];
  await bus.consume(names.control('an-executor'), { prefetch: 10, noAck: true }, async ({ body }) => {
    const message = readControlMessage(body.toString());
    if (message?.kind !== 'which-vertices') return 'done';
    const { runId, asker } = message;
    asked.push(runId);
    const answer = { kind: 'vertices-so-far', runId, asker, trace: JSON.stringify(traceOf()) } as const;
    await sendControlMessage({ bus, names }, asker, answer);
    return 'done';
  });
  const { promise: taken, resolve: take } = Promise.withResolvers<TakenJob>();
  executor.handleJob = async (job) => take(job);
  const id = await gateway.createFlow({ name: 'watched', data: { nodes: [], edges: [] } });
  const answered = gateway.call('POST', `/api/v1/run/${id}`, {});
  const { job, final } = await taken;
  const path = `runs/${job.runId}/trace`;
  expect([(await get(path)).status, asked]).toEqual([404, []]);
  expect((await get(`${path}?live=true`)).json).toMatchObject({ run_id: job.runId, status: 'running' });
  expect(asked).toEqual([job.runId]);
  await final('failed', { code: 'component_failed', message: 'no' });
  await answered;
  executor.handleJob = null;
  const ended = await record(traceOf());
  expect((await get(`runs/${ended}/trace?live=true`)).json).toMatchObject({ status: 'failed' });
  expect(asked).toEqual([job.runId]);
});

test('traces are deleted alone and by flow; the runs stay', async () => {
  const remove = async (path: string) => (await gateway.call('DELETE', `/api/v1/monitor/${path}`)).status;
  const [first, second] = [await record(traceOf()), await record(traceOf())];
  expect(await remove(`traces/${first}`)).toBe(204);
  expect(await remove(`traces/${first}`)).toBe(404);
  expect(await remove(`traces?flow_id=${flow.id}`)).toBe(204);
  expect(await remove('traces')).toBe(422);
  for (const id of [first, second])
    expect([(await get(`runs/${id}/trace`)).status, (await get(`runs/${id}`)).status]).toEqual([404, 200]);
});

test('editors get the newest record of each vertex, and a page of the vertices of all runs', async () => {
  const [, agent] = vertices;
  await record(traceOf());
  const id = await record(traceOf({ vertices: agent ? [{ ...agent, state: 'succeeded' }] : [] }));
  const { vertex_builds: builds } = (await get(`monitor/builds?flow_id=${flow.id}`)).json as {
    vertex_builds: Record<string, object[]>;
  };
  expect(Object.keys(builds).sort()).toEqual(['Agent-b', 'ChatInput-a']);
  expect(builds['Agent-b']).toMatchObject([{ valid: true, job_id: id, flow_id: flow.id, params: 'refused' }]);
  expect(builds['ChatInput-a']).toMatchObject([
    { valid: true, params: null, data: { outputs: { message: { message: 'hello', type: 'text' } } } },
  ]);

  const page = await get(`monitor/transactions?flow_id=${flow.id}&size=2`);
  expect(page.json).toMatchObject({
    total: 3,
    page: 1,
    size: 2,
    pages: 2,
    items: [
      { vertex_id: 'Agent-b', status: 'success' },
      { vertex_id: 'Agent-b', status: 'error', inputs: { input_value: 'hello' } },
    ],
  });
  const refused = (await get(`monitor/transactions?flow_id=${flow.id}&size=x&page=y`)).json;
  const items = ['page', 'size', 'page', 'size'].map((name) => ({
    type: 'int_parsing',
    loc: ['query', name],
  }));
  expect(refused).toMatchObject({ detail: items });
  expect((await get(`monitor/transactions?flow_id=${flow.id}&size=2&page=2`)).json).toMatchObject({
    items: [{ vertex_id: 'ChatInput-a', target_id: null }],
  });
  expect((await gateway.call('DELETE', `/api/v1/monitor/builds?flow_id=${flow.id}`)).status).toBe(204);
  expect((await get(`monitor/builds?flow_id=${flow.id}`)).json).toEqual({ vertex_builds: {} });
});
