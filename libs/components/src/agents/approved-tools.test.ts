import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callTools, streamText } from '../integrations/openai/openai-server.fixture';
import { approvedCalculator as approved, durableRun as runOf } from '../testing/durable-run.fixture';
import { failureOf } from '../testing/flow-under-test.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { toolNode } from '../testing/tool-node.fixture';
import { agentFlow, openAgentSuite } from './agent-flow.fixture';

const { server, ask, messagesOf } = openAgentSuite();

const durableRun = (document: unknown, options?: { readonly remembersSteps: boolean }) =>
  runOf((attempt) => ask(document, attempt), options);
/** What the model got for its first calls of tools. */
const toolResults = () =>
  (messagesOf(1) as { role: string; content: string }[])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content);

const all = ['approve', 'edit', 'reject', 'respond'];

test('asks a person before it calls the tool, with the call and the decisions of its author', async () => {
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]));
  const description = `Tool execution requires approval\n\nTool: evaluate_expression\nArgs: {'expression': '6*7'}`;
  expect(await durableRun(agentFlow({}, [approved('reject', 'approve')])).asks()).toEqual({
    request_id: expect.stringMatching(/^Agent-g:[0-9a-f-]{36}:[0-9a-f]{32}$/),
    kind: 'tool_approval',
    prompt: description,
    options: [
      { action_id: 'approve', label: 'Approve' },
      { action_id: 'reject', label: 'Reject' },
    ],
    allowed_decisions: ['approve', 'reject'],
    action_requests: [{ name: 'evaluate_expression', args: { expression: '6*7' }, description }],
    timeout_seconds: 0,
    fallback_action: null,
  });
});

test.each([
  ['approve', {}, '{"result": "42"}', '6*7'],
  ['edit', { args: { expression: '2+3' } }, '{"result": "5"}', '2+3'],
  [
    'reject',
    { message: 'too risky' },
    'User rejected the tool call for `evaluate_expression` with reason: too risky',
    '6*7',
  ],
  [
    'reject',
    {},
    'User rejected the tool call for `evaluate_expression` with id call_0. The tool was not executed. Do not retry this tool call unless the user explicitly requests it.',
    '6*7',
  ],
  ['respond', { message: 'It is 42.' }, 'It is 42.', '6*7'],
])(
  '%s %j: the model gets %p, and is asked each question once',
  async (action, values, result, expression) => {
    server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]), streamText('Done.'));
    const { text } = await durableRun(agentFlow({}, [approved(...all)])).decide(action, values);
    expect(text).toBe('Done.');
    expect(server.requests).toHaveLength(2);
    const [, , assistant, tool] = messagesOf(1) as { tool_calls: { function: { arguments: string } }[] }[];
    expect(JSON.parse(assistant?.tool_calls[0]?.function.arguments ?? '')).toEqual({ expression });
    expect(tool).toMatchObject({ role: 'tool', content: result });
  },
);

test('one decision is for all calls of an answer that want one; the others are made', async () => {
  const calls = callTools(
    ['evaluate_expression', { expression: '1+1' }],
    ['get_current_date', { timezone: 'UTC' }],
    ['evaluate_expression', { expression: '2+2' }],
  );
  server.answers.push(calls, streamText('Done.'));
  await durableRun(agentFlow({}, [approved('approve', 'reject')])).decide('reject', { message: 'no' });
  const rejected = 'User rejected the tool call for `evaluate_expression` with reason: no';
  expect(toolResults()).toEqual([rejected, expect.stringContaining('UTC'), rejected]);
});

test('calls of an answer are decided about one by one; none is made before all are', async () => {
  const calls = callTools(
    ['evaluate_expression', { expression: '1+1' }],
    ['evaluate_expression', { expression: '2+2' }],
    ['evaluate_expression', { expression: '1+1' }],
  );
  server.answers.push(calls, streamText('Done.'));
  const run = durableRun(agentFlow({}, [approved(...all)]));
  const asked: unknown[] = [];
  for (const [action, values, place] of [
    ['edit', { args: { expression: '3+3' } }, 1],
    ['reject', { message: 'no' }, 1],
  ] as const) {
    const request = await run.asks();
    asked.push(request?.action_requests?.map(({ args }) => args['expression']));
    run.answer(request, action, values, [place]);
  }
  const last = await run.asks();
  asked.push(last?.action_requests?.map(({ args }) => args['expression']));
  expect(server.requests).toHaveLength(1);
  expect((await run.decide('approve')).text).toBe('Done.');
  expect(asked).toEqual([['1+1', '2+2', '1+1'], ['1+1', '1+1'], ['1+1']]);
  expect(toolResults()).toEqual(['{"result": "2"}', '{"result": "6"}', expect.stringContaining('no')]);
});

test('edited arguments are for the first call alone; others that want a decision are not made', async () => {
  const calls = callTools(
    ['evaluate_expression', { expression: '1+1' }],
    ['evaluate_expression', { expression: '2+2' }],
  );
  server.answers.push(calls, streamText('Done.'));
  await durableRun(agentFlow({}, [approved(...all)])).decide('edit', { args: { expression: '3+3' } });
  expect(toolResults()).toEqual(['{"result": "6"}', expect.stringContaining('was not executed')]);
});

test('a later attempt repeats neither calls of models nor of tools', async () => {
  server.answers.push(
    callTools(['get_current_date', { timezone: 'UTC' }]),
    callTools(['evaluate_expression', { expression: '6*7' }]),
    streamText('Done.'),
  );
  const run = durableRun(agentFlow({}, [approved(...all)]));
  const first = await run.asks();
  expect(first?.action_requests?.map(({ name }) => name)).toEqual(['evaluate_expression']);
  expect(await run.asks()).toEqual(first);
  expect(server.requests).toHaveLength(2);
  expect((await run.decide('approve')).text).toBe('Done.');
  expect(server.requests).toHaveLength(3);
});

test('an agent without a follower asks, too', async () => {
  const { data } = agentFlow({}, [approved('approve')]) as { data: { nodes: unknown[]; edges: unknown[] } };
  const document = { data: { nodes: data.nodes.slice(0, -1), edges: data.edges.slice(0, -1) } };
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]), streamText('Done.'));
  expect(await durableRun(document).asks()).toMatchObject({ kind: 'tool_approval' });
});

test('a decision is not for other calls, which a model wants that is asked again', async () => {
  const run = durableRun(agentFlow({}, [approved('approve')]), { remembersSteps: false });
  server.answers.push(callTools(['evaluate_expression', { expression: '1+1' }]));
  server.answers.push(callTools(['evaluate_expression', { expression: '2+2' }]));
  const first = await run.asks();
  run.answer(first, 'approve');
  expect((await run.asks())?.action_requests).toEqual([
    expect.objectContaining({ args: { expression: '2+2' } }),
  ]);
});

test('a call of a model has the same key in each attempt, another call another key, and outside of durable runs none', async () => {
  const run = durableRun(agentFlow({}, [approved('approve')]), { remembersSteps: false });
  const wanted = callTools(['evaluate_expression', { expression: '1+1' }]);
  server.answers.push(wanted, wanted, streamText('Done.'), streamText('Hello.'));
  await run.decide('approve');
  await ask(agentFlow());
  const [first, again, second, free] = server.requests
    .slice(-4)
    .map(({ headers }) => headers['idempotency-key']);
  expect([first, second]).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/),
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ]);
  expect([again, free]).toEqual([first, undefined]);
  expect(second).not.toBe(first);
});

test('a tool that the table names twice is not called unasked', async () => {
  const tool = approved('approve');
  const table = tool.data.node.template['tools_metadata'] as { value: object[] };
  table.value.unshift({ name: 'evaluate_expression', tags: ['evaluate_expression'], status: true });
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]), streamText('Done.'));
  expect(await durableRun(agentFlow({}, [tool])).asks()).toMatchObject({ kind: 'tool_approval' });
});

test('of equal calls of a tool with an effect each is made once, before and after the pause', async () => {
  const keys: unknown[] = [];
  const sink = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(sink, 'listening');
  try {
    const url_input = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
    const tool = toolNode('APIRequest-p', 'APIRequest', [], { method: 'POST', url_input });
    const post = () => callTools(['make_api_request', {}]);
    server.answers.push(
      post(),
      callTools(['evaluate_expression', { expression: '1+1' }]),
      post(),
      streamText('Done.'),
    );
    const run = durableRun(agentFlow({}, [tool, approved('approve')]));
    const request = await run.asks();
    expect(keys).toHaveLength(1);
    run.answer(request, 'approve');
    await run.asks();
    expect(new Set(keys).size).toBe(2);
  } finally {
    sink.close();
  }
});

test('a caller that waits, a tweak and a component that cannot ask are refused', async () => {
  const document = agentFlow({}, [approved('approve')]);
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]));
  expect(await failureOf(ask(document))).toContain('POST /api/v2/workflows');
  const tools_metadata = [{ name: 'evaluate_expression', tags: ['evaluate_expression'], status: true }];
  expect(
    await failureOf(ask(document, { tweaks: { 'CalculatorComponent-t': { tools_metadata } } })),
  ).toContain('which no tweak can change');
  expect(await failureOf(ask(document, { tweaks: { tools_metadata: '' } }))).toContain(
    'which no tweak can change',
  );
  expect(await failureOf(callToolOf(approved('approve'), {}))).toContain('only an agent or a crew');
});
