import type { HumanRequest } from '@millrace/flow';
import { AguiSuite, question, resolved } from './agui-suite.fixture';

const approval: HumanRequest = {
  ...question,
  request_id: 'Agent-a:5f0c',
  kind: 'tool_approval',
  prompt: 'Tool execution requires approval',
  allowed_decisions: ['approve', 'edit', 'reject', 'respond'],
  action_requests: [{ name: 'evaluate', args: { expression: '1+1' }, description: '' }],
  arguments_schemas: [{ properties: { expression: { type: 'string' } }, required: ['expression'] }],
  timeout_seconds: 0,
};

let suite: AguiSuite;
beforeAll(async () => {
  suite = await AguiSuite.open();
}, 60_000);
afterAll(() => suite.gateway.close());
beforeEach(() => suite.reset());

const toolUse = (args: object, answer: object, id = 'm-3') => ({
  event: 'add_message',
  data: {
    id,
    text: '',
    sender: 'Machine',
    properties: { state: 'partial' },
    content_blocks: [
      {
        title: 'Agent Steps',
        contents: [{ type: 'tool_use', name: 'evaluate', tool_input: args, ...answer }],
      },
    ],
  },
});

test.each([
  [{ approved: true }, { expression: '1+1' }, { output: '2' }, { action_id: 'approve', values: {} }],
  [
    { approved: true, editedArgs: { expression: '2+2' } },
    { expression: '2+2' },
    { output: '4' },
    { action_id: 'edit', values: { args: { expression: '2+2' } } },
  ],
  [
    { approved: false, message: 'no' },
    { expression: '1+1' },
    { error: 'no' },
    { action_id: 'reject', values: { message: 'no' } },
  ],
  [
    { approved: false, response: 'two' },
    { expression: '1+1' },
    { output: 'two' },
    { action_id: 'respond', values: { message: 'two' } },
  ],
  [
    { approved: false, message: 'no', response: null, editedArgs: null },
    { expression: '1+1' },
    { error: 'no' },
    { action_id: 'reject', values: { message: 'no' } },
  ],
])('the call of a tool is decided: %j', async (payload, args, answer, decision) => {
  suite.asks = [approval];
  const { events, runId, ids } = await suite.agent(suite.input());
  const [id = ''] = ids;
  const toolCallId = `${id}:0`;
  expect(events.slice(-4)).toMatchObject([
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'evaluate' },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"expression": "1+1"}' },
    { type: 'TOOL_CALL_END', toolCallId },
    {
      outcome: {
        interrupts: [
          {
            reason: 'tool_call',
            toolCallId,
            responseSchema: {
              properties: {
                approved: { type: 'boolean' },
                editedArgs: { type: 'object', ...approval.arguments_schemas?.[0] },
                message: { type: 'string' },
                response: { type: 'string' },
              },
            },
          },
        ],
      },
    },
  ]);
  const resume = suite.agent(suite.input({ resume: [resolved(id, payload)] }));
  await suite.goOn(runId, [toolUse(args, {}), toolUse(args, answer)]);
  expect((await resume).events.slice(1, -1)).toMatchObject([
    {
      type: 'TOOL_CALL_RESULT',
      toolCallId,
      messageId: `${toolCallId}:result`,
      content: Object.values(answer)[0],
    },
  ]);
  expect((await suite.gateway.runs.resumption(runId)).decisions.get('Agent-a:5f0c')).toEqual(decision);
});

test('a run that asks twice gives the result of each call to the call that it proposed', async () => {
  suite.asks = [approval];
  const { runId, ids } = await suite.agent(suite.input());
  const edited = { approved: true, editedArgs: { expression: '2+2' } };
  const first = suite.agent(suite.input({ resume: [resolved(ids[0] ?? '', edited)] }));
  const args = { expression: '8*8' };
  const action_requests = [{ name: 'evaluate', args, description: '' }];
  suite.asks = [{ ...approval, request_id: 'Agent-a:later', action_requests }];
  await suite.goOn(runId, [], 2, true);
  const later = (await first).ids;
  expect(later).toEqual([`${runId}:Agent-a:later`]);
  const second = suite.agent(suite.input({ resume: [resolved(later[0] ?? '', { approved: true })] }));
  await suite.goOn(
    runId,
    [toolUse({ expression: '2+2' }, { output: '4' }), toolUse(args, { output: '64' }, 'm-4')],
    3,
  );
  expect((await second).events.slice(1, -1)).toMatchObject([
    { type: 'TOOL_CALL_RESULT', toolCallId: `${ids[0]}:0`, content: '4' },
    { type: 'TOOL_CALL_RESULT', toolCallId: `${later[0]}:0`, content: '64' },
  ]);
  const record = await suite.gateway.runs.find(suite.gateway.user.id, runId);
  expect(record?.request).toMatchObject({ vertexEvents: true });
});

test('a payload that is not of the schema is refused, and nothing is decided', async () => {
  suite.asks = [approval];
  const { runId, ids } = await suite.agent(suite.input());
  const [id = ''] = ids;
  for (const payload of [
    undefined,
    'approve',
    {},
    { approved: 'yes' },
    { action_id: 'approve' },
    { approved: true, editedargs: { expression: '2' } },
    { approved: true, editedArgs: '2' },
    { approved: true, editedArgs: { expression: 2 } },
    { approved: true, message: 'no' },
    { approved: false, editedArgs: { expression: '2' } },
    { approved: false, message: 'no', response: 'no' },
    { approved: false, message: 5 },
  ]) {
    const { status, json } = await suite.refusal(suite.input({ resume: [resolved(id, payload)] }));
    expect([payload, status, json]).toMatchObject([payload, 422, { detail: { code: 'INVALID_DECISION' } }]);
  }
  expect(await suite.gateway.runs.find(suite.gateway.user.id, runId)).toMatchObject({ status: 'suspended' });
});
