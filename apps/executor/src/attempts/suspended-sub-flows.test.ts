import { flowData, node } from '@millrace/testing';
import { until } from '@millrace/service/testing';
import type { FlowRecord } from '@millrace/runs';
import { callingFlow, loopingFlow, scriptedFlow } from '../testing/flow-document';
import { installForAllTests } from '../testing/install-for-tests';
import { WaitingRun } from '../testing/waiting-run';

const given = installForAllTests();

const create = (name: string, document: unknown): Promise<FlowRecord> =>
  given.flows.create(given.userId, { name, document });

/** Chat Input → OpenAI → Human Input → Chat Output. */
const asking = (answer = 'ChatOutput-z') =>
  flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node('OpenAIModel-m', { api_key: 'sk-test', input_value: '' }, 'text_output'),
      node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
      node(answer, { input_value: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > OpenAIModel-m.input_value',
      'OpenAIModel-m.text_output > HumanInput-h.prompt',
      `HumanInput-h.branch_approve > ${answer}.input_value`,
    ],
  );

/** Answers the next request to the fake model. */
async function served(text: string): Promise<void> {
  await until(() => given.model.waiting > 0, 'the model was not asked');
  given.model.answer(text);
}

test('a question of an inner flow suspends the run, which goes on inside; what ended there is not done again', async () => {
  const before = given.model.requestCount;
  await create('asks', asking());
  const run = await WaitingRun.start(given, await create('calls', callingFlow('asks')));
  await served('ship it?');
  const [request] = await run.asks();
  expect(request).toMatchObject({ prompt: 'ship it?', flowId: (await run.record()).flowId });
  expect(request?.request_id).toMatch(/^HumanInput-h:[0-9a-f-]{36}:[0-9a-f]{32}$/);
  await run.answer(request, 'approve');
  expect(await run.record()).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(given.model.requestCount - before).toBe(1);
});

test('an inner flow goes on with the version with which it began', async () => {
  const inner = await create('asks before a change', asking());
  const run = await WaitingRun.start(given, await create('calls it', callingFlow('asks before a change')));
  await served('ship it?');
  const [request] = await run.asks();
  await given.flows.update(given.userId, inner.id, { document: asking('ChatOutput-new') });
  await given.database.query({
    text: `UPDATE flow_versions SET created_at = now() - interval '2 days' WHERE flow_id = $1`,
    values: [inner.id],
  });
  await given.runs.prune({ retentionDays: 10_000, keptFlowVersions: 1, limit: 500, versionLimit: 500 });
  expect(await given.flows.document(inner.id, inner.version)).not.toBeNull();
  await run.answer(request, 'approve');
  const record = await run.record();
  expect(record).toMatchObject({ status: 'succeeded' });
  const messages = await given.messages.list({
    userId: given.userId,
    flowId: inner.id,
    sessionId: 'durable-session',
  });
  expect(messages.map(({ text }) => text)).toContain('ship it?');
});

test('each round of a loop asks with its inner flow, also deeper than one', async () => {
  const sessions = flowData(
    [
      node('TextInput-t', { input_value: 'again?' }, 'text'),
      node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
      node('ChatOutput-z', { input_value: '' }, 'message'),
    ],
    ['TextInput-t.text > HumanInput-h.prompt', 'HumanInput-h.branch_approve > ChatOutput-z.input_value'],
  );
  await create('asks often', sessions);
  await create('between', callingFlow('asks often', 'TextInput-x~input_value'));
  const run = await WaitingRun.start(given, await create('loops', loopingFlow('between')));
  const asked = new Set<string>();
  while (asked.size < 2) {
    const [request, ...others] = await run.asks();
    expect(others).toEqual([]);
    asked.add(request?.request_id ?? '');
    await run.answer(request, 'approve');
  }
  expect(await run.record()).toMatchObject({ status: 'succeeded', attempt: 3 });
  expect(asked.size).toBe(2);
});

/** Chat Input → Human Input → Chat Output. */
const questions = flowData(
  [
    node('ChatInput-i', { input_value: '' }, 'message'),
    node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
    node('ChatOutput-z', { input_value: '' }, 'message'),
  ],
  ['ChatInput-i.message > HumanInput-h.prompt', 'HumanInput-h.branch_approve > ChatOutput-z.input_value'],
);
const tools = { name: 'component_as_tool', types: ['Tool'] };

test('a question of a flow that an agent calls waits until its other tools have ended, which are not called again', async () => {
  const before = given.model.requestCount;
  await create('consult', questions);
  const agent = flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node('OpenAIModel-m', { api_key: 'sk-test' }, { name: 'model_output', types: ['LanguageModel'] }),
      node('RunFlow-r', { flow_name_selected: 'consult' }, tools),
      node('APIRequest-a', { url_input: 'https://sink.test/orders', method: 'POST' }, tools),
      node(
        'ToolCallingAgent-a',
        { model: '', tools: { type: 'other', list: true }, input_value: '' },
        'response',
      ),
      node('TextOutput-z', { input_value: '' }, 'text'),
    ],
    [
      'ChatInput-i.message > ToolCallingAgent-a.input_value',
      'OpenAIModel-m.model_output > ToolCallingAgent-a.model',
      'RunFlow-r.component_as_tool > ToolCallingAgent-a.tools',
      'APIRequest-a.component_as_tool > ToolCallingAgent-a.tools',
      'ToolCallingAgent-a.response > TextOutput-z.input_value',
    ],
  );
  const run = await WaitingRun.start(given, await create('agent that consults', agent));
  await until(() => given.model.waiting === 1, 'the model was not asked');
  given.model.callTools(['consult_tool', { input_value: 'ship it?' }], ['make_api_request', {}]);
  await served('posted');
  const [request] = await run.asks();
  expect(request).toMatchObject({ prompt: 'ship it?' });
  await run.answer(request, 'approve');
  await served('shipped');
  expect(await run.record()).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(given.model.requestCount - before).toBe(3);
});

const streamingAgent = (called: string) =>
  flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node('OpenAIModel-m', { api_key: 'sk-test' }, { name: 'model_output', types: ['LanguageModel'] }),
      node('RunFlow-r', { flow_name_selected: called }, tools),
      node(
        'ToolCallingAgent-a',
        { model: '', tools: { type: 'other', list: true }, input_value: '' },
        'response',
      ),
      node('ChatOutput-z', { input_value: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > ToolCallingAgent-a.input_value',
      'OpenAIModel-m.model_output > ToolCallingAgent-a.model',
      'RunFlow-r.component_as_tool > ToolCallingAgent-a.tools',
      'ToolCallingAgent-a.response > ChatOutput-z.input_value',
    ],
  );

/** Returns the texts of the messages and tokens that a caller of a run has received. */
function textsOf(runId: string): readonly string[] {
  const frames = given.replies.filter(
    ({ correlationId, type }) => correlationId === runId && type === 'events',
  );
  return frames
    .flatMap(({ body }) => body.toString().trim().split('\n'))
    .map((line) => JSON.parse(line) as { event: string; data: { chunk?: string; text?: string } })
    .flatMap(({ event, data }) =>
      event === 'token' || event === 'add_message' ? [data.chunk ?? data.text ?? ''] : [],
    )
    .filter((text) => text !== '');
}

test.each([
  ['asks, also deeper,', 'asks deeper', ['stream', 'It is shipped.']],
  [
    'does not ask',
    'repeats deeper',
    // The agent's message, partial and complete, and that of the chat output.
    ['stream', 'I call.', '\n\nIt is shipped.', ...Array<string>(3).fill('It is shipped.')],
  ],
])('an agent whose flow as a tool %s streams each text once', async (_, called, texts) => {
  await create(`inside of ${called}`, called === 'asks deeper' ? questions : scriptedFlow('input'));
  await create(called, callingFlow(`inside of ${called}`));
  const flow = await create(`streams: ${called}`, streamingAgent(called));
  const request = given.request('stream', { stream: true, sessionId: `session of ${called}` });
  const run = await WaitingRun.start(given, flow, { request, sessionId: request.sessionId });
  await until(() => given.model.waiting === 1, 'the model was not asked');
  const tool = `${called.replaceAll(' ', '-')}_tool`;
  given.model.callToolsAfter('I call.', [tool, { input_value: 'ship it?' }]);
  if (called === 'asks deeper') {
    const [question] = await run.asks();
    await run.answer(question, 'approve');
  }
  await served('It is shipped.');
  const { status, sessionId } = await run.record();
  expect([status, textsOf(run.id)]).toEqual(['succeeded', texts]);
  const stored = await given.messages.list({ userId: given.userId, flowId: flow.id, sessionId });
  expect(stored.map(({ text }) => text).filter((text) => text !== '')).toEqual(['stream', 'It is shipped.']);
});

test('a question of a flow that a member of a crew calls suspends the run; the crew goes on where it was', async () => {
  const before = given.model.requestCount;
  await create('consult for a crew', questions);
  const member = (id: string, task_description: string) =>
    node(
      id,
      { role: 'Miller', task_description, llm: '', tools: { type: 'other', list: true }, previous_task: '' },
      { name: 'task_output', types: ['SequentialTask'] },
    );
  const crew = flowData(
    [
      node('OpenAIModel-m', { api_key: 'sk-test' }, { name: 'model_output', types: ['LanguageModel'] }),
      node('RunFlow-r', { flow_name_selected: 'consult for a crew' }, tools),
      member('SequentialTaskAgentComponent-a', 'Plan.'),
      member('SequentialTaskAgentComponent-b', 'Ask.'),
      node('SequentialCrewComponent-c', { tasks: { type: 'other', list: true } }, 'output'),
      node('TextOutput-z', { input_value: '' }, 'text'),
    ],
    [
      ...['a', 'b'].map((id) => `OpenAIModel-m.model_output > SequentialTaskAgentComponent-${id}.llm`),
      'RunFlow-r.component_as_tool > SequentialTaskAgentComponent-b.tools',
      'SequentialTaskAgentComponent-a.task_output > SequentialTaskAgentComponent-b.previous_task',
      'SequentialTaskAgentComponent-b.task_output > SequentialCrewComponent-c.tasks',
      'SequentialCrewComponent-c.output > TextOutput-z.input_value',
    ],
  );
  const run = await WaitingRun.start(given, await create('crew that consults', crew));
  await served('a plan');
  await until(() => given.model.waiting === 1, 'the second member did not ask its model');
  given.model.callTools(['consult-for-a-crew_tool', { input_value: 'ship it?' }]);
  const [request] = await run.asks();
  expect(request).toMatchObject({ prompt: 'ship it?' });
  await run.answer(request, 'approve');
  await served('shipped');
  expect(await run.record()).toMatchObject({ status: 'succeeded', attempt: 2 });
  expect(given.model.requestCount - before).toBe(3);
});

test('a run that cannot wait is refused before the inner flow does anything', async () => {
  const before = given.model.requestCount;
  await create('asks too', asking());
  const flow = await create('calls without a row', callingFlow('asks too'));
  const job = given.job(flow);
  await given.send(job);
  const { headers, body } = await given.finalReply(job.runId);
  expect(headers['x-status']).toBe('failed');
  expect(JSON.parse(body.toString())).toMatchObject({
    code: 'human_input_unsupported',
    message: expect.stringMatching(
      /^"HumanInput" \(HumanInput-h\) asks a person\. .*POST \/api\/v2\/workflows/,
    ) as string,
  });
  expect(given.model.requestCount).toBe(before);
});
