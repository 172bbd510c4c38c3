import type { HumanRequest } from '@millrace/flow';
import { until } from '@millrace/service/testing';
import { AgentCalls, message } from '../../testing/agent-calls';
import type { Json, Task } from '../../testing/agent-calls';
import { suspendRun } from '../../testing/asking-flow';

const question = (request_id: string): HumanRequest => ({
  request_id,
  kind: 'node_input',
  prompt: 'ship it?',
  options: [
    { action_id: 'yes', label: 'Ship now' },
    { action_id: 'no', label: 'No' },
  ],
  allowed_decisions: ['yes', 'no'],
  timeout_seconds: 60,
  fallback_action: null,
});

let agents: AgentCalls;
beforeAll(async () => {
  agents = await AgentCalls.open();
}, 60_000);
afterAll(() => agents.gateway.close());
beforeEach(() => ask(question('q')));

/** Makes runs wait for answers to these in their first attempt. */
function ask(...requests: readonly HumanRequest[]): void {
  agents.gateway.executor.handleJob = (taken) => suspendRun(agents.gateway, taken, requests);
}

/** Ends a run whose question was answered as an executor does. */
async function finish(runId: string): Promise<void> {
  const { runs, database } = agents.gateway;
  const text = `SELECT FROM runs WHERE id = $1 AND status = 'accepted'`;
  await until(async () => (await database.query({ text, values: [runId] })).rowCount > 0);
  await runs.releaseBacklog({ publishedPerUser: 10, limit: 500 });
  await runs.claim([{ runId, worker: 'test', redelivered: false }]);
  const failure = { code: 'component_failed', message: 'x', vertex: null, problems: [] } as const;
  await runs.complete([{ runId, attempt: 2, status: 'failed', result: null, failure, messages: [] }]);
}

const data = (content: Json) => ({ kind: 'data', data: content });
const answerOf = (taskId: string, ...parts: readonly Json[]) => message({ taskId, parts });

test('a task that asks a person needs input, and says what it asks', async () => {
  const answer = await agents.call('message/send', message());
  const { id, contextId, status } = answer['result'] as Task & { status: { message: Json } };
  const { kind, prompt, options, allowed_decisions, timeout_seconds, fallback_action } = question('q');
  const asked = {
    request_id: 'q',
    kind,
    prompt,
    options,
    allowed_decisions,
    timeout_seconds,
    fallback_action,
  };
  expect(status).toEqual({
    state: 'input-required',
    timestamp: expect.stringMatching(/Z$/),
    message: {
      kind: 'message',
      role: 'agent',
      messageId: expect.stringMatching(/^[\da-f-]{36}$/),
      parts: [{ kind: 'text', text: prompt }, data({ ...asked, paused_at: expect.any(String) })],
      taskId: id,
      contextId,
    },
  });
  expect(await agents.call('tasks/get', { id })).toEqual(answer);
  const events = await agents.readStream('tasks/resubscribe', { id });
  expect(events.map(({ result }) => result)).toEqual([
    answer['result'],
    { kind: 'status-update', taskId: id, contextId, status, final: true },
  ]);
});

test('a stream ends with the question', async () => {
  const events = await agents.readStream('message/stream', message());
  expect(events.at(-1)?.['result']).toMatchObject({
    kind: 'status-update',
    status: { state: 'input-required', message: { parts: [{ text: 'ship it?' }, { kind: 'data' }] } },
    final: true,
  });
});

test('a task that asks is cancelled, and then takes no message', async () => {
  const { id } = await agents.send(message());
  expect(await agents.call('tasks/cancel', { id })).toMatchObject({
    result: { id, status: { state: 'canceled' } },
  });
  expect(await agents.errorOf('message/send', message({ taskId: id }))).toEqual([
    -32_004,
    `Task ${id} is in terminal state: TASK_STATE_CANCELED`,
  ]);
});

test.each<[string, Json, Json]>([
  ['the id of a choice', { kind: 'text', text: 'yes' }, { action_id: 'yes', values: {} }],
  ['its label in any case', { kind: 'text', text: ' ship NOW ' }, { action_id: 'yes', values: {} }],
  [
    'data',
    data({ request_id: 'q', decision: { action_id: 'no', values: { note: 'late' } } }),
    { action_id: 'no', values: { note: 'late' } },
  ],
])('a message with %s answers, and its caller gets the end of the task', async (_, part, decision) => {
  const { id } = await agents.send(message());
  const sending = agents.send(answerOf(id, part));
  await finish(id);
  expect(await sending).toMatchObject({ id, status: { state: 'failed' } });
  expect((await agents.gateway.runs.resumption(id)).decisions.get('q')).toEqual(decision);
  const audit = await agents.gateway.call('GET', '/api/v1/audit?action=run.answered');
  expect(audit.text).toContain(id);
});

test('an answer without waiting is taken at once; a stream of one follows the task to its end', async () => {
  const { id } = await agents.send(message());
  const configuration = { blocking: false };
  const text = { kind: 'text', text: 'yes' };
  const task = await agents.send({ ...answerOf(id, text), configuration });
  expect(task).toMatchObject({ id, status: { state: 'submitted' } });
  const second = await agents.send(message());
  const reading = agents.readStream('message/stream', answerOf(second.id, text));
  await finish(second.id);
  const events = (await reading).map(({ result }) => result as Json);
  expect(events[0]).toMatchObject({ id: second.id, status: { state: 'submitted' } });
  expect(events.at(-1)).toMatchObject({ status: { state: 'failed' }, final: true });
});

test('several questions are answered by data that names them', async () => {
  ask(question('q'), question('r'));
  const { id } = await agents.send(message());
  const decision = { action_id: 'yes' };
  const refused = async (...parts: readonly Json[]) => agents.errorOf('message/send', answerOf(id, ...parts));
  for (const parts of [[{ kind: 'text', text: 'yes' }], [data({ decision })]])
    expect(await refused(...parts)).toEqual([
      -32_602,
      'The task asks several questions: name one with request_id',
    ]);
  const one = data({ request_id: 'q', decision });
  expect((await refused(one, one))[0]).toBe(-32_602);
  const configuration = { blocking: false };
  await agents.send({ ...answerOf(id, one, data({ request_id: 'r', decision })), configuration });
  expect([...(await agents.gateway.runs.resumption(id)).decisions.keys()].toSorted()).toEqual(['q', 'r']);
});

test.each<[string, readonly Json[], number]>([
  ['The task takes one of these answers: yes, no', [{ kind: 'text', text: 'perhaps' }], -32_602],
  ['A message answers by a text or by data', [{ kind: 'text', text: 'yes' }, data({})], -32_602],
  ['An answer has no member action_id', [data({ action_id: 'yes' })], -32_602],
  ['decision is not an object', [data({ decision: 'yes' })], -32_602],
  ['request_id is not a text', [data({ request_id: 5, decision: {} })], -32_602],
  [
    "decision.action_id is not one of the pending request's allowed_decisions.",
    [data({ decision: { action_id: 'perhaps' } })],
    -32_602,
  ],
  ['does not ask this', [data({ request_id: 'x', decision: { action_id: 'yes' } })], -32_602],
])('an answer is refused: %s', async (text, parts, code) => {
  const { id } = await agents.send(message());
  expect(await agents.errorOf('message/send', answerOf(id, ...parts))).toEqual([
    code,
    expect.stringContaining(text),
  ]);
  expect(await agents.call('tasks/get', { id })).toMatchObject({
    result: { status: { state: 'input-required' } },
  });
});

test('a question for others is not answered by the owner of the agent', async () => {
  const { flow } = agents.owner.ids;
  const { id } = await agents.send(message());
  const { json } = await agents.gateway.call('POST', '/api/v1/users', { username: 'decider' });
  const answeredBy = [(json as { id: string }).id];
  await agents.owner.call('PATCH', `/api/v1/flows/${flow}`, { settings: { answeredBy } });
  expect(await agents.errorOf('message/send', answerOf(id, { kind: 'text', text: 'yes' }))).toEqual([
    -32_004,
    `Task ${id} asks users that its flow names`,
  ]);
  await agents.owner.call('PATCH', `/api/v1/flows/${flow}`, { settings: { answeredBy: null } });
});
