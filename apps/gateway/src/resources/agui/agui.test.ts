import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
import { readEvents } from '../../testing/read-events';
import { TEST_KEY } from '../../testing/test-gateway';
import { AguiSuite, makeFlow, question, resolved } from './agui-suite.fixture';
import type { AguiEvent } from './agui-suite.fixture';

let suite: AguiSuite;
beforeAll(async () => {
  suite = await AguiSuite.open();
}, 60_000);
afterAll(() => suite.gateway.close());
beforeEach(() => suite.reset());

const brief = (events: readonly AguiEvent[]) =>
  events.map(({ type, delta, content }) => [type, delta, content].filter(Boolean).join(' '));
const spoken = (text: string) => ({
  event: 'add_message',
  data: { id: 'm-2', text, sender: 'Machine', session_id: 't' },
});

test('a run is that of the last text of the user, in the thread as session; the same run id repeats its answer', async () => {
  suite.gateway.executor.handleJob = null;
  const plain = await suite.gateway.createFlow({
    name: 'plain',
    endpoint_name: 'plain',
    data: flowData(
      [
        node('ChatInput-a', { input_value: '' }, 'message'),
        node('ChatOutput-z', { input_value: '' }, 'message'),
      ],
      ['ChatInput-a.message > ChatOutput-z.input_value'],
    ),
  });
  const body = suite.input({ threadId: 'plain thread' });
  const first = await suite.agent(body, { flow: 'plain' });
  const messageId = first.events[1]?.['messageId'];
  const ends = { threadId: 'plain thread', runId: body.runId };
  expect(first.events).toMatchObject([
    { type: 'RUN_STARTED', ...ends, protocolVersion: '1.0' },
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'hello' },
    { type: 'TEXT_MESSAGE_END', messageId },
    {
      type: 'RUN_FINISHED',
      ...ends,
      outcome: { type: 'success' },
      result: { 'ChatOutput-z': { content: 'hello' } },
    },
  ]);
  expect(await suite.agent(body, { flow: plain })).toEqual(first);
  const changed = await suite.refusal({ ...body, messages: [{ role: 'user', content: 'other' }] }, 'plain');
  expect([changed.status, changed.text]).toEqual([422, expect.stringContaining('Idempotency-Key')]);
  expect(await suite.gateway.runs.find(suite.gateway.user.id, first.runId)).toMatchObject({
    sessionId: 'plain thread',
  });
});

test('a run that asks ends with the interrupt, which another run answers', async () => {
  const body = suite.input();
  const { events, runId, ids } = await suite.agent(body);
  expect(brief(events)).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT hm',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ]);
  expect(events.at(-1)).toMatchObject({
    runId: body.runId,
    outcome: {
      type: 'interrupt',
      interrupts: [
        {
          id: `${runId}:HumanInput-h:run`,
          reason: 'input_required',
          message: 'ship it?',
          expiresAt: expect.stringMatching(/^2\d{3}-.*Z$/) as string,
          responseSchema: {
            type: 'object',
            properties: { action_id: { enum: ['approve', 'reject'] }, values: { type: 'object' } },
            required: ['action_id'],
            additionalProperties: false,
          },
          metadata: { run_id: runId, options: question.options },
        },
      ],
    },
  });
  const again = await suite.agent(body);
  expect(again.events).toEqual(events);
  const [id = ''] = ids;
  const resume = suite.agent(suite.input({ messages: [], resume: [resolved(id, { action_id: 'approve' })] }));
  await suite.goOn(runId, [spoken('shipped')]);
  const continued = await resume;
  expect(brief(continued.events)).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_CONTENT shipped',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ]);
  expect([continued.runId, continued.last]).toMatchObject([runId, { outcome: { type: 'success' } }]);
  const late = await suite.refusal(suite.input({ resume: [resolved(id, { action_id: 'approve' })] }));
  expect([late.status, late.json]).toMatchObject([
    409,
    { detail: { code: 'INTERRUPT_CLOSED', interrupt_id: id, decided_by: expect.any(String) as string } },
  ]);
  expect((await suite.gateway.call('GET', '/api/v1/audit?action=run.answered')).text).toContain(runId);
});

test('several interrupts are answered at once, all or none; those left open end the run again', async () => {
  suite.asks = ['a', 'b', 'c'].map((id) => ({ ...question, request_id: id }));
  const { runId, ids } = await suite.agent(suite.input());
  const [a = '', b = '', c = ''] = ids;
  expect(ids).toEqual(['a', 'b', 'c'].map((id) => `${runId}:${id}`));
  const approve = { action_id: 'approve' };
  const statuses = [];
  for (const resume of [
    [resolved(a, approve), resolved(b, { action_id: 'maybe' })],
    [resolved(a, approve), resolved(`${runId}:d`, approve)],
    [resolved(a, approve), resolved(a, approve)],
    [resolved(a, approve), resolved(a.replace(runId, runId.toUpperCase()), { action_id: 'reject' })],
  ])
    statuses.push((await suite.refusal(suite.input({ resume }))).status);
  expect(statuses).toEqual([422, 404, 422, 422]);
  expect(await suite.gateway.runs.find(suite.gateway.user.id, runId)).toMatchObject({ status: 'suspended' });
  const resume = [resolved(a, approve), resolved(b, { action_id: 'reject', values: { why: 'no' } })];
  suite.asks = [];
  const half = suite.agent(suite.input({ resume }));
  await suite.goOn(runId, [spoken('half')], 2, true);
  expect(brief((await half).events)).toContain('TEXT_MESSAGE_CONTENT half');
  expect((await half).ids).toEqual([c]);
  const whole = suite.agent(suite.input({ resume: [resolved(c, approve)] }));
  await suite.goOn(runId, [spoken('whole')], 3);
  expect(brief((await whole).events)).toContain('TEXT_MESSAGE_CONTENT whole');
  expect((await suite.gateway.runs.resumption(runId)).decisions.get('b')).toEqual({
    action_id: 'reject',
    values: { why: 'no' },
  });
});

test('of two answers at once the second gets the error of a closed interrupt, with the user of the first', async () => {
  const { runId, ids } = await suite.agent(suite.input());
  const resume = [resolved(ids[0] ?? '', { action_id: 'approve' })];
  const answers = [suite.refusal(suite.input({ resume })), suite.refusal(suite.input({ resume }))];
  await suite.goOn(runId, [spoken('once')]);
  const closed = { code: 'INTERRUPT_CLOSED', interrupt_id: ids[0], decided_by: expect.any(String) as string };
  const refused = (await Promise.all(answers)).filter(({ status }) => status !== 200);
  expect(refused).toMatchObject([{ status: 409, json: { detail: closed } }]);
});

test('the stream of a run that is deleted ends with an error', async () => {
  const flow = await makeFlow(suite.gateway, 'deleted');
  const { ids } = await suite.agent(suite.input(), { flow });
  const resume = [resolved(ids[0] ?? '', { action_id: 'approve' })];
  const continued = suite.agent(suite.input({ resume }), { flow });
  await until(async () => {
    const { json } = await suite.gateway.call('GET', `/api/v1/pending?flow_id=${flow}`);
    return (json as { requests: readonly object[] }).requests.length === 0;
  });
  expect((await suite.gateway.call('DELETE', `/api/v1/flows/${flow}`)).status).toBe(200);
  expect((await continued).last).toMatchObject({ type: 'RUN_ERROR' });
});

test('a cancelled interrupt stops the run', async () => {
  const { runId, ids } = await suite.agent(suite.input());
  const [interruptId = ''] = ids;
  const withPayload = [{ interruptId, status: 'cancelled', payload: { action_id: 'approve' } }];
  expect((await suite.refusal(suite.input({ resume: withPayload }))).status).toBe(422);
  const { events } = await suite.agent(suite.input({ resume: [{ interruptId, status: 'cancelled' }] }));
  expect(events).toMatchObject([
    { type: 'RUN_STARTED' },
    { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } },
  ]);
  expect(await suite.gateway.runs.find(suite.gateway.user.id, runId)).toMatchObject({ status: 'cancelled' });
  const late = await suite.refusal(
    suite.input({ resume: [resolved(interruptId, { action_id: 'approve' })] }),
  );
  expect([late.status, late.json]).toMatchObject([409, { detail: { code: 'INTERRUPT_CLOSED' } }]);
  expect((await suite.gateway.call('GET', '/api/v1/audit?action=run.cancelled')).text).toContain(runId);
});

test('beside answers a cancelled call is rejected, and a cancelled question takes its fallback or no branch', async () => {
  const call = { name: 'send', args: {}, description: '' };
  suite.asks = [
    { ...question, request_id: 'answered' },
    {
      ...question,
      request_id: 'call',
      kind: 'tool_approval',
      allowed_decisions: ['approve'],
      action_requests: [call],
    },
    {
      ...question,
      request_id: 'fallback',
      fallback_action: 'fallback',
      allowed_decisions: ['approve', 'fallback'],
    },
    { ...question, request_id: 'none' },
  ];
  const { runId, ids } = await suite.agent(suite.input());
  const [answered = '', ...others] = ids;
  const resume = [
    resolved(answered, { action_id: 'approve' }),
    ...others.map((interruptId) => ({ interruptId, status: 'cancelled' })),
  ];
  suite.asks = [];
  const continued = suite.agent(suite.input({ resume }));
  await suite.goOn(runId, [spoken('went on')]);
  expect(brief((await continued).events)).toContain('TEXT_MESSAGE_CONTENT went on');
  const { decisions } = await suite.gateway.runs.resumption(runId);
  expect(Object.fromEntries([...decisions].map(([id, { action_id }]) => [id, action_id]))).toEqual({
    answered: 'approve',
    call: 'reject',
    fallback: 'fallback',
    none: 'Cancelled',
  });
});

test('an interrupt of another run, thread, flow or user is one that does not exist', async () => {
  const { ids } = await suite.agent(suite.input());
  const other = await makeFlow(suite.gateway, 'other');
  const resume = [resolved(ids[0] ?? '', { action_id: 'approve' })];
  const stranger = await newUserKey();
  const unknown = crypto.randomUUID();
  const answers = [
    await suite.refusal(suite.input({ resume }), other),
    await suite.refusal(suite.input({ threadId: 'another', resume })),
    await suite.refusal(suite.input({ resume: [resolved(`${unknown}:HumanInput-h:run`, {})] })),
    await suite.refusal(suite.input({ resume: [resolved('x', {})] })),
  ];
  for (const { status, json } of answers)
    expect([status, json]).toMatchObject([404, { detail: { code: 'INTERRUPT_NOT_FOUND' } }]);
  expect((await suite.agent(suite.input({ resume }), { key: stranger })).status).toBe(404);
  expect((await suite.agent(suite.input({ resume }), { key: await boundKey(other) })).status).toBe(404);
  expect(
    (await suite.agent(suite.input({ resume }), { key: await boundKey(other), flow: other })).status,
  ).toBe(404);
  const two = [...resume, resolved(`${unknown}:HumanInput-h:run`, {})];
  expect((await suite.refusal(suite.input({ resume: two }))).status).toBe(422);
  expect((await suite.agent(suite.input(), { key: await boundKey(suite.flowId) })).status).toBe(200);
});

async function boundKey(flow: string): Promise<string> {
  const { json } = await suite.gateway.call('POST', '/api/v1/api_key/', { name: 'bound', flows: [flow] });
  return (json as { api_key: string }).api_key;
}

async function newUserKey(): Promise<string> {
  const { json } = await suite.gateway.call('POST', '/api/v1/users', { username: 'stranger' });
  return (json as { api_key: string }).api_key;
}

test.each([
  [{ tools: [{ name: 'x', description: '' }] }, 'tools'],
  [{ context: [{ description: 'x', value: 'y' }] }, 'context'],
  [{ state: { a: 1 } }, 'state'],
  [{ state: 0 }, 'state'],
  [{ forwardedProps: { a: 1 } }, 'forwardedProps'],
  [{ threadId: '' }, 'threadId'],
  [{ runId: 'x'.repeat(256) }, 'runId'],
  [{ messages: 'x' }, 'messages'],
  [{ messages: [{ role: 'user' }] }, 'content'],
  [{ messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] }, 'content'],
  [{ resume: [{ interruptId: 'x', status: 'done' }] }, 'status'],
] as const)('what a run would ignore or cannot read is refused: %j', async (changes, member) => {
  const { status, json } = await suite.refusal(suite.input(changes));
  expect([status, json]).toMatchObject([
    422,
    { detail: [{ loc: expect.arrayContaining(['body', member]) as string[] }] },
  ]);
});

test('members of later versions are ignored, and a flow needs no message', async () => {
  const body = suite.input({
    messages: [{ role: 'system', content: 'x' }],
    protocolVersion: '1.7',
    later: 1,
  });
  expect((await suite.agent(body)).last).toMatchObject({ outcome: { type: 'interrupt' } });
  expect((await suite.refusal(suite.input(), crypto.randomUUID())).status).toBe(404);
});

test('a stream of /api/v2/workflows in AG-UI form ends at the question, also when it is read again', async () => {
  const body = { flow_id: suite.flowId, mode: 'stream', stream_protocol: 'agui', session_id: 't' };
  const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
  const read = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${suite.gateway.url}${path}`, { headers, ...init });
    const events: AguiEvent[] = [];
    for await (const event of readEvents(response)) events.push(event as unknown as AguiEvent);
    return { runId: response.headers.get('x-run-id') ?? '', types: events.map(({ type }) => type) };
  };
  const { runId, types } = await read('/api/v2/workflows', { method: 'POST', body: JSON.stringify(body) });
  expect([types[0], types.at(-1)]).toEqual(['RUN_STARTED', 'CUSTOM']);
  const events = `/api/v2/workflows/${runId}/events?stream_protocol=agui`;
  expect((await read(events)).types).toEqual(types);
});
