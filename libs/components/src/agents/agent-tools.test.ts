import { failureOf } from '../testing/flow-under-test.fixture';
import { callTools, streamText } from '../integrations/openai/openai-server.fixture';
import { toolNode } from '../testing/tool-node.fixture';
import { agentFlow, calculator, chosenModel, openAgentSuite } from './agent-flow.fixture';

const { server, ask, messagesOf } = openAgentSuite();

test("the node's table can rename, describe and disable a tool", async () => {
  const named = { name: 'reckon', description: 'Computes.', tags: ['evaluate_expression'], status: true };
  const args = { expression: { description: 'Such as 1+1.', type: 'string' } };
  server.answers.push(callTools(['reckon', { expression: '1+1' }]), streamText('2'));
  await ask(
    agentFlow({ add_current_date_tool: false }, [
      toolNode('Calc-t', 'CalculatorComponent', [{ ...named, args }]),
    ]),
  );
  expect(server.requests[0]?.body['tools']).toEqual([
    {
      type: 'function',
      function: {
        name: 'reckon',
        description: 'Computes.',
        parameters: {
          type: 'object',
          properties: { expression: { type: 'string', description: 'Such as 1+1.', default: '' } },
        },
      },
    },
  ]);
  const off = toolNode('Calc-t', 'CalculatorComponent', [{ ...named, status: false }]);
  await ask(agentFlow({ add_current_date_tool: false }, [off]));
  expect(server.requests.at(-1)?.body).not.toHaveProperty('tools');
});

test.each([
  [
    'an approval that this release does not know',
    { approval_actions: ['delegate'] },
    /a person has to approve the calls of the tool "reckon"/,
  ],
  ['an approval of a disabled tool', { approval_actions: 'edit', status: false }, /approval_actions/],
  ['a setting of a newer release', { spending_limit: 5 }, /the tool "reckon" has settings .* spending_limit/],
])(
  '%s in the table of tools refuses the run before a model is called, saved or tweaked',
  async (_, members, reason) => {
    const row = { name: 'reckon', description: 'Computes.', tags: ['evaluate_expression'], status: true };
    const saved = agentFlow({}, [toolNode('Calc-t', 'CalculatorComponent', [{ ...row, ...members }])]);
    await expect(ask(saved)).rejects.toMatchObject({
      code: 'flow_refused',
      message: expect.stringMatching(reason),
    });
    const plain = agentFlow({}, [toolNode('Calc-t', 'CalculatorComponent', [row])]);
    for (const table of [[{ ...row, ...members }], { value: [{ ...row, ...members }] }]) {
      const tweaks = { 'Calc-t': { tools_metadata: table } };
      await expect(ask(plain, { tweaks })).rejects.toMatchObject({ code: 'flow_refused' });
    }
    expect(server.requests).toEqual([]);
    const unset = { approval_actions: [], spending_limit: null };
    await ask(agentFlow({}, [toolNode('Calc-t', 'CalculatorComponent', [{ ...row, ...unset }])]));
    expect(server.requests).toHaveLength(1);
  },
);

test('odd calls are sent back with ids and objects, and with the thoughts of the model', async () => {
  const call = (index: number, args: unknown): object => ({
    index,
    function: { name: 'evaluate_expression', arguments: args },
  });
  const message = {
    content: [
      { type: 'thinking', thinking: [] },
      { type: 'text', text: 'Let me see.' },
    ],
    reasoning_content: 'hm',
    tool_calls: [call(0, null), call(0, { expression: '1+1' }), call(0, 'nonsense')],
  };
  server.answers.push(
    (response) => response.end(JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] })),
    streamText('done'),
  );
  await ask(agentFlow({}));
  const [sent, ...results] = (messagesOf(1) as Record<string, unknown>[]).slice(-4);
  expect(sent).toMatchObject({ role: 'assistant', content: 'Let me see.', reasoning_content: 'hm' });
  const calls = sent?.['tool_calls'] as { id: string; function: { arguments: string } }[];
  expect(calls.map((each) => each.function.arguments)).toEqual(['{}', '{"expression":"1+1"}', '{}']);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
  expect(results.map((result) => result['tool_call_id'])).toEqual(calls.map(({ id }) => id));
  expect(results[1]?.['content']).toBe('{"result": "2"}');
});

test('two tools with the same name get distinct names', async () => {
  await ask(agentFlow({}, [calculator, toolNode('CalculatorComponent-u', 'CalculatorComponent')]));
  const tools = server.requests[0]?.body['tools'] as readonly { function: { name: string } }[];
  expect(tools.map((tool) => tool.function.name)).toEqual([
    'evaluate_expression',
    'evaluate_expression_2',
    'get_current_date',
  ]);
});

test('includes a clock and a calculator, unless a connected tool has the same name', async () => {
  server.answers.push(callTools(['evaluate_expression', { expression: '1/3' }]), streamText('done'));
  await ask(agentFlow({ add_calculator_tool: true }, []));
  expect(messagesOf(1)).toMatchObject([{}, {}, {}, { content: '{"result": "0.333333"}' }]);
  await ask(agentFlow({ add_calculator_tool: true }));
  expect(server.requests.at(-1)?.body['tools']).toHaveLength(2);
});

test('an agent can be a tool of another agent', async () => {
  const inner = toolNode('Agent-i', 'Agent', [{ name: 'Helper', tags: ['Helper'], description: 'Helps.' }], {
    model: chosenModel,
    system_prompt: 'Inner.',
    add_current_date_tool: false,
    add_calculator_tool: false,
  });
  server.answers.push(
    callTools(['Helper', { input_value: 'sub' }]),
    streamText('inner words'),
    streamText('outer words'),
  );
  const { text, stored } = await ask(agentFlow({ add_current_date_tool: false }, [inner]));
  expect(text).toBe('outer words');
  expect(messagesOf(1)).toMatchObject([
    { role: 'system', content: 'Inner.' },
    { role: 'user', content: 'What is 6 * 7?' },
    { role: 'user', content: 'sub' },
  ]);
  expect(messagesOf(2)).toMatchObject([{}, {}, {}, { role: 'tool', content: 'inner words' }]);
  expect(stored).toHaveLength(2);
});

test('reports a failed tool call to the model', async () => {
  server.answers.push(
    callTools(['unknown', {}], ['evaluate_expression', 'text'], ['evaluate_expression', { expression: 5 }]),
    streamText('I give up.'),
  );
  const { text, stored } = await ask(agentFlow());
  expect(text).toBe('I give up.');
  const toolReplies = (messagesOf(1) as { role: string; content: string }[]).filter(
    ({ role }) => role === 'tool',
  );
  expect(toolReplies.map(({ content }) => content)).toEqual([
    'Error: there is no tool "unknown". The tools are: evaluate_expression, get_current_date.',
    'Error: the arguments are not a JSON object: text',
    "Invalid value type <class 'int'>",
  ]);
  expect(stored[1]?.fields.contentBlocks).toMatchObject([
    {
      contents: [
        { type: 'tool_use', output: null },
        { type: 'tool_use', output: null },
        // The error of a component is an answer.
        { output: { content: "Invalid value type <class 'int'>", status: 'error' }, error: null },
        {},
        {},
      ],
    },
  ]);
});

test('a failing tool ends the run when the node is configured so', async () => {
  server.answers.push(callTools(['evaluate_expression', { expression: 5 }]));
  expect(await failureOf(ask(agentFlow({ handle_parsing_errors: false })))).toContain('Invalid value type');
});

test('a model that never stops calling tools is called at most max_iterations times', async () => {
  for (let count = 0; count < 3; count += 1) {
    server.answers.push(callTools(['evaluate_expression', { expression: '1' }]));
  }
  expect((await ask(agentFlow({ max_iterations: 2 }))).text).toBe(
    'Model call limits exceeded: run limit (2/2)',
  );
  expect(server.requests).toHaveLength(2);
});

test('tool calls count toward the limit of executed vertices', async () => {
  for (let count = 0; count < 100; count += 1) {
    server.answers.push(
      callTools(...Array.from({ length: 10 }, () => ['evaluate_expression', { expression: '1' }] as const)),
    );
  }
  await expect(ask(agentFlow({ max_iterations: 100 }))).rejects.toMatchObject({ code: 'too_many_vertices' });
});
