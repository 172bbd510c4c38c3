import { recordSettingsOf } from '@millrace/flow';
import type { RecordSettings, RunRequest } from '@millrace/flow';
import type { FlowRecord, RunTrace, StoredTrace } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
import { callingFlow, scriptedFlow } from '../../testing/flow-document';
import { openTestDatabase, openTestInstallation } from '../../testing/test-installation';
import type { TestInstallation } from '../../testing/test-installation';

let given: TestInstallation;
let close: () => Promise<void>;
beforeAll(async () => {
  const database = await openTestDatabase();
  given = await openTestInstallation(database);
  await given.startExecutor('worker-1', {
    settings: {
      MILLRACE_VERTEX_RECORDS: true,
      MILLRACE_VERTEX_RECORD_SAMPLE_RATE: 0,
      MILLRACE_VERTEX_RECORD_VALUES: 'failed',
      MILLRACE_MODEL_PRICES: { 'priced-model': { input: 1, output: 10 } },
    },
  });
  close = async () => {
    await given.close();
    await database.close();
  };
}, 60_000);
afterAll(() => close());

const tokens = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
const store = (name: string, document: unknown, records?: RecordSettings): Promise<FlowRecord> =>
  given.flows.create(given.userId, {
    name: `${name} ${uuidv7()}`,
    document,
    ...(records && { settings: { records } }),
  });

/** Runs a flow to its recorded end; resolves to the id of the run. `answer` answers the model, if it is asked. */
async function run(
  flow: FlowRecord,
  text: string,
  { answer, ...changes }: Partial<RunRequest> & { readonly answer?: string } = {},
): Promise<string> {
  const request = given.request(text, { sessionId: `session-${uuidv7()}`, ...changes });
  const records = recordSettingsOf(flow.settings.records);
  const job = given.job(flow, { request, ...(records && { records }) });
  await given.send(job);
  if (answer !== undefined) {
    await until(() => given.model.waiting > 0, 'the model was not asked');
    given.model.answer(answer, undefined, tokens);
  }
  await given.finalReply(job.runId);
  await given.recorded(job.runId);
  return job.runId;
}

const find = (runId: string): Promise<StoredTrace | null> => given.traces.find(given.userId, runId);
async function traceOf(runId: string): Promise<RunTrace> {
  const found = await find(runId);
  if (!found) throw new Error(`the run ${runId} has no trace`);
  return found.trace;
}
const vertexIn = ({ vertices }: RunTrace, id: string) => vertices.find((vertex) => vertex.id === id);

const modelFlow = (fields: object, script: string) =>
  flowData(
    [
      node('ChatInput-i', { input_value: '', session_id: '' }, 'message'),
      node('OpenAIModel-m', { input_value: '', model_name: 'priced-model', ...fields }, 'text_output'),
      node('JavaScriptFunction-s', { script }, 'message'),
      node('ChatOutput-o', { session_id: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > JavaScriptFunction-s.input_value',
      'JavaScriptFunction-s.message > ChatOutput-o.input_value',
    ],
  );

test('a failed run leaves its vertices, with the inputs and the error of the one that failed', async () => {
  const flow = await store('failing', scriptedFlow('throw new Error("no " + input)'));
  const trace = await traceOf(await run(flow, 'luck'));
  expect(trace).toMatchObject({ version: 1, attempt: 1, reason: 'failed', omitted: 0 });
  expect(trace.vertices.map(({ id, state }) => [id, state])).toEqual([
    ['ChatInput-i', 'succeeded'],
    ['JavaScriptFunction-s', 'failed'],
  ]);
  expect(vertexIn(trace, 'ChatInput-i')).toMatchObject({
    executions: 1,
    inputs: { input_value: 'luck' },
    outputs: { message: { text: 'luck', sender: 'User' } },
  });
  const failed = vertexIn(trace, 'JavaScriptFunction-s');
  expect(failed).toMatchObject({ inputs: { input_value: { text: 'luck' } }, outputs: {} });
  expect(failed?.error).toContain('no luck');
  expect(failed?.inputBytes).toBeGreaterThan(4);
});

test('a run that succeeded leaves nothing unless it is part of the sample, and then no values', async () => {
  const document = scriptedFlow('input + "!"');
  expect(await find(await run(await store('silent', document), 'x'))).toBeNull();
  const trace = await traceOf(await run(await store('sampled', document, { sampleRate: 1 }), 'x'));
  expect(trace).toMatchObject({ reason: 'sampled' });
  expect(trace.vertices).toHaveLength(3);
  for (const vertex of trace.vertices) {
    expect(vertex).toMatchObject({ state: 'succeeded', executions: 1 });
    expect(vertex).not.toHaveProperty('inputs');
    expect(vertex.end).toBeGreaterThanOrEqual(vertex.start);
  }
});

test('a flow decides whose values are kept', async () => {
  const all = await store('all', scriptedFlow('input + "!"'), { sampleRate: 1, values: 'all' });
  expect(vertexIn(await traceOf(await run(all, 'x')), 'ChatOutput-o')).toMatchObject({
    outputs: { message: { text: 'x!' } },
  });
  const off = await store('off', scriptedFlow('throw new Error("no")'), { values: 'off' });
  const failed = vertexIn(await traceOf(await run(off, 'x')), 'JavaScriptFunction-s');
  expect(failed).toMatchObject({ state: 'failed' });
  expect(failed).not.toHaveProperty('inputs');
});

test('what a flow sets applies to a durable run, whose job does not have it', async () => {
  const flow = await store('durable', scriptedFlow('input'), { sampleRate: 1, values: 'all' });
  const job = await given.accept(flow);
  await given.send(job);
  await given.finalReply(job.runId);
  expect(vertexIn(await traceOf(job.runId), 'ChatInput-i')).toMatchObject({
    inputs: { input_value: 'durable' },
  });
});

test('tokens and cost are added up by run and model, and counted by flow', async () => {
  const flow = await store('asking', modelFlow({}, 'input'), { sampleRate: 1 });
  const id = await run(flow, 'x', { answer: 'fine' });
  const used = { calls: 1, inputTokens: 1_000, outputTokens: 100, cost: 0.002, unpricedCalls: 0 };
  const models = [{ provider: 'OpenAI', model: 'priced-model', ...used }];
  expect((await given.runs.find(given.userId, id))?.usage).toEqual({ ...used, models });
  expect(vertexIn(await traceOf(id), 'OpenAIModel-m')).toMatchObject({ models });
  const text = await given.metrics.prometheusText();
  const labels = `flow_id="${flow.id}",provider="OpenAI",model="priced-model"`;
  for (const line of [
    `millrace_model_calls_total{${labels}} 1`,
    `millrace_model_tokens_total{${labels},direction="input"} 1000`,
    `millrace_model_tokens_total{${labels},direction="output"} 100`,
    `millrace_model_cost_dollars_total{${labels}} 0.002`,
  ])
    expect(text.split('\n')).toContain(line);
});

test('a model without a price has no cost, and its call is counted', async () => {
  const flow = await store('unpriced', modelFlow({ model_name: 'own-model' }, 'input'));
  const id = await run(flow, 'x', { answer: 'fine' });
  const usage = (await given.runs.find(given.userId, id))?.usage;
  expect(usage).toMatchObject({ calls: 1, inputTokens: 1_000, cost: null, unpricedCalls: 1 });
  expect(await given.metrics.prometheusText()).toMatch(
    /millrace_model_unpriced_calls_total\{[^}]*model="own-model"\} 1/,
  );
});

test('the reply says where the time went', async () => {
  const flow = await store('timed', scriptedFlow('input'));
  const runId = await run(flow, 'x');
  const { headers } = await given.finalReply(runId);
  expect(headers['x-timing']).toMatch(/^\d+\.\d \d+\.\d (ChatInput-i|JavaScriptFunction-s|ChatOutput-o)$/);
});

test('a vertex that runs often has one entry, and one of another flow names that flow', async () => {
  const inner = await store('inner', scriptedFlow('input + "."'));
  const rounds = 60;
  const items = JSON.stringify(Array.from({ length: rounds }, (_, index) => ({ text: `item ${index}` })));
  const looping = flowData(
    [
      node('JSONtoData-j', { json_string: items }, 'data'),
      node('DataToDataFrame-t', { data_list: '' }, 'dataframe'),
      node('LoopComponent-l', { data: '' }, 'item', 'done'),
      node('RunFlow-r', { flow_name_selected: inner.name, session_id: '' }, 'flow_outputs_data'),
      node('ChatOutput-z', { session_id: '' }, 'message'),
    ],
    [
      'JSONtoData-j.data > DataToDataFrame-t.data_list',
      'DataToDataFrame-t.dataframe > LoopComponent-l.data',
      'LoopComponent-l.item > RunFlow-r.session_id',
      'RunFlow-r.flow_outputs_data > LoopComponent-l.item',
      'LoopComponent-l.done > ChatOutput-z.input_value',
    ],
  );
  const trace = await traceOf(await run(await store('looping', looping, { sampleRate: 1 }), 'x'));
  expect(vertexIn(trace, 'RunFlow-r')).toMatchObject({ executions: rounds });
  const script = vertexIn(trace, 'JavaScriptFunction-s');
  expect(script).toMatchObject({ executions: rounds, flowId: inner.id });
  expect(script?.longest).toBeLessThanOrEqual(script?.milliseconds ?? 0);
  expect(trace.vertices.filter(({ id }) => id === 'LoopComponent-l')).toHaveLength(1);
});

test('a vertex that did not end before the deadline is unfinished', async () => {
  const flow = await store('late', modelFlow({}, 'input'));
  const job = given.job(flow, { request: given.request('x'), deadline: Date.now() + 300 });
  await given.send(job);
  await given.finalReply(job.runId);
  await given.recorded(job.runId);
  expect(vertexIn(await traceOf(job.runId), 'OpenAIModel-m')).toMatchObject({ state: 'unfinished' });
  expect((await find(job.runId))?.status).toBe('timed_out');
});

describe('secrets', () => {
  const canaries = {
    variable: 'canary-variable-0123456789',
    plainVariable: 'canary-plain-variable',
    headerVariable: 'canary-header-variable-0123',
    tweak: 'canary-tweak-0123456789',
    saved: 'canary-saved-0123456789',
    address: 'canary-password-in-address',
    header: 'canary-in-a-header-0123',
  };
  const everything = Object.values(canaries);
  const secretField = (value: string) => ({ type: 'str', password: true, value });
  const fromVariable = (name: string) => ({ type: 'str', load_from_db: true, value: name });

  beforeAll(async () => {
    const create = (name: string, value: string, type: 'Credential' | 'Generic') =>
      given.variables.create(given.userId, { name, value, type, defaultFields: [] });
    await create('CANARY', canaries.variable, 'Credential');
    await create('PLAIN', canaries.plainVariable, 'Generic');
  });

  /** A flow in which each secret has its place; its script passes on or throws all that it gets. */
  function secretFlow(apiKey: object, script: string) {
    const document = modelFlow({ api_key: apiKey, system_message: fromVariable('PLAIN') }, script);
    const others = [
      node('TextInput-a', { input_value: fromVariable('FROM_HEADER') }, 'text'),
      node(
        'APIRequest-b',
        {
          url_input: { type: 'str', value: `https://user:${canaries.address}@sink.test/` },
          headers: { type: 'table', value: [{ key: 'X-Key', value: `Bearer ${canaries.header}` }] },
          api_key: secretField(canaries.saved),
        },
        'data',
      ),
    ];
    return { ...document, nodes: [...document.nodes, ...others] };
  }

  test.each([
    ['a variable in a secret field', fromVariable('CANARY'), {}],
    ['a tweak of a secret field', secretField(''), { 'OpenAIModel-m': { api_key: canaries.tweak } }],
  ] as const)('%s: nothing of all secrets is kept, at any setting', async (_, apiKey, tweaks) => {
    const echo = `All: ${everything.join(', ')} ${encodeURIComponent(JSON.stringify(everything))}`;
    for (const values of ['off', 'failed', 'all'] as const) {
      for (const script of ['throw new Error(input)', 'input + input']) {
        const flow = await store('secret', secretFlow(apiKey, script), { sampleRate: 1, values });
        const globalVariables = { FROM_HEADER: canaries.headerVariable };
        const id = await run(flow, 'x', { tweaks, globalVariables, answer: echo });
        const { rows } = await given.database.query<{ body: string; usage: string | null }>({
          text: 'SELECT body, whole_text(usage, runs.id, runs.flow_id, NULL) AS usage FROM run_traces JOIN runs ON runs.id = run_traces.run_id WHERE run_id = $1',
          values: [id],
        });
        const kept = JSON.stringify(rows);
        const used = everything.filter((canary) => canary !== canaries.tweak || 'OpenAIModel-m' in tweaks);
        expect(rows).toHaveLength(1);
        expect(used.filter((canary) => canary !== canaries.variable && kept.includes(canary))).toEqual([]);
        if (!('OpenAIModel-m' in tweaks)) expect(kept).not.toContain(canaries.variable);
        const showsValues = values === 'all' || (values === 'failed' && script.startsWith('throw'));
        expect(kept.includes('[hidden]')).toBe(showsValues || script.startsWith('throw'));
      }
    }
  });
});

test('a flow that calls another one keeps no secret of that one', async () => {
  const key = 'canary-of-the-inner-flow';
  const inner = modelFlow({ api_key: { type: 'str', password: true, value: key } }, 'input');
  const { name } = await store('keyed', inner);
  const outer = await store('outer', callingFlow(name), { sampleRate: 1, values: 'all' });
  const id = await run(outer, 'x', { answer: `The key is ${key}.` });
  const kept = JSON.stringify(await find(id));
  expect(kept).not.toContain(key);
  expect(kept).toContain('The key is [hidden].');
});
