import type { ServerResponse } from 'node:http';
import { Message } from '@millrace/python-text';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunOptions, RunUnderTest } from '../testing/flow-under-test.fixture';
import {
  callTools,
  chunk,
  refuse,
  streamText,
  startModelServerUnderTest,
} from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import { toolNode } from '../testing/tool-node.fixture';

let server: ModelServerUnderTest;
beforeEach(async () => {
  server = await startModelServerUnderTest();
});
afterEach(() => server.close());

const chosen = [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }];
const calculator = toolNode('CalculatorComponent-t', 'CalculatorComponent');
const agent = (
  values: Record<string, unknown> = {},
  tools: readonly unknown[] = [calculator],
  output = 'response',
): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      ...tools,
      node('Agent-g', 'Agent', {
        model: chosen,
        system_prompt: 'Be brief.',
        stream: false,
        add_calculator_tool: false,
        ...values,
      }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Agent-g', 'input_value'),
      ...tools.map((tool) => edge((tool as { id: string }).id, 'component_as_tool', 'Agent-g', 'tools')),
      edge('Agent-g', output, 'ChatOutput-z', 'input_value'),
    ],
  );
const ask = (document: unknown, options: RunOptions = {}): Promise<RunUnderTest> =>
  runFlow(document, {
    input: 'What is 6 * 7?',
    variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' },
    ...options,
  });
const messagesOf = (index: number): unknown => server.requests[index]?.body.messages;

test('calls the tool that the model requests, and answers with its final text', async () => {
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]), streamText('It is 42.'));
  const { text, stored } = await ask(agent());
  expect(text).toBe('It is 42.');
  expect(server.requests[0]?.body).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is 6 * 7?' },
    ],
    tools: [
      {
        type: 'function',
        function: {
          name: 'evaluate_expression',
          parameters: { type: 'object', properties: { expression: { type: 'string' } } },
        },
      },
      { function: { name: 'get_current_date' } },
    ],
  });
  expect(messagesOf(1)).toMatchObject([
    { role: 'system' },
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id: 'call_0', function: { arguments: '{"expression":"6*7"}' } }] },
    { role: 'tool', tool_call_id: 'call_0', content: '{"result":"42"}' },
  ]);
  expect(stored.map((message) => message.text)).toEqual(['What is 6 * 7?', 'It is 42.']);
  expect(stored[1]?.fields).toMatchObject({
    contentBlocks: [
      {
        title: 'Agent Steps',
        contents: [
          {
            type: 'tool_use',
            name: 'evaluate_expression',
            tool_input: { expression: '6*7' },
            output: '{"result":"42"}',
            error: null,
          },
        ],
      },
    ],
    properties: { usage: { input_tokens: 10, output_tokens: 6, total_tokens: 16 } },
  });
});

test("the node's table can rename, describe and disable a tool", async () => {
  const named = { name: 'reckon', description: 'Computes.', tags: ['evaluate_expression'], status: true };
  const args = { expression: { description: 'Such as 1+1.', type: 'string' } };
  server.answers.push(callTools(['reckon', { expression: '1+1' }]), streamText('2'));
  await ask(
    agent({ add_current_date_tool: false }, [
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
          properties: { expression: { type: 'string', description: 'Such as 1+1.' } },
          required: [],
        },
      },
    },
  ]);
  const off = toolNode('Calc-t', 'CalculatorComponent', [{ ...named, status: false }]);
  await ask(agent({ add_current_date_tool: false }, [off]));
  expect(server.requests.at(-1)?.body).not.toHaveProperty('tools');
});

test('two tools with the same name get distinct names', async () => {
  await ask(agent({}, [calculator, toolNode('CalculatorComponent-u', 'CalculatorComponent')]));
  const tools = server.requests[0]?.body['tools'] as readonly { function: { name: string } }[];
  expect(tools.map((tool) => tool.function.name)).toEqual([
    'evaluate_expression',
    'evaluate_expression_2',
    'get_current_date',
  ]);
});

test('includes a clock and a calculator, unless a connected tool has the same name', async () => {
  server.answers.push(callTools(['evaluate_expression', { expression: '1/3' }]), streamText('done'));
  await ask(agent({ add_calculator_tool: true }, []));
  expect(messagesOf(1)).toMatchObject([{}, {}, {}, { content: '{"result":"0.333333"}' }]);
  await ask(agent({ add_calculator_tool: true }));
  expect(server.requests.at(-1)?.body['tools']).toHaveLength(2);
});

test('an agent can be a tool of another agent', async () => {
  const inner = toolNode('Agent-i', 'Agent', [{ name: 'Helper', tags: ['Helper'], description: 'Helps.' }], {
    model: chosen,
    system_prompt: 'Inner.',
    add_current_date_tool: false,
    add_calculator_tool: false,
  });
  server.answers.push(
    callTools(['Helper', { input_value: 'sub' }]),
    streamText('inner words'),
    streamText('outer words'),
  );
  const { text, stored } = await ask(agent({ add_current_date_tool: false }, [inner]));
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
  const { text, stored } = await ask(agent());
  expect(text).toBe('I give up.');
  const toolReplies = (messagesOf(1) as { role: string; content: string }[]).filter(
    ({ role }) => role === 'tool',
  );
  expect(toolReplies.map(({ content }) => content)).toEqual([
    'Error: there is no tool "unknown". The tools are: evaluate_expression, get_current_date.',
    'Error: the arguments are not a JSON object.',
    "Error: Invalid value type <class 'int'>",
  ]);
  expect(stored[1]?.fields.contentBlocks).toMatchObject([{ contents: [{ output: null }, {}, {}] }]);
});

test('a failing tool ends the run when the node is configured so', async () => {
  server.answers.push(callTools(['evaluate_expression', { expression: 5 }]));
  expect(await failureOf(ask(agent({ handle_parsing_errors: false })))).toContain('Invalid value type');
});

test('a model that never stops calling tools is called at most max_iterations times', async () => {
  for (let count = 0; count < 3; count += 1) {
    server.answers.push(callTools(['evaluate_expression', { expression: '1' }]));
  }
  expect((await ask(agent({ max_iterations: 2 }))).text).toBe('Model call limits exceeded: run limit (2/2)');
  expect(server.requests).toHaveLength(2);
});

test('sends the model the last n_messages messages of the session', async () => {
  const history = [
    new Message({ text: 'first', sender: 'User', id: '1' }),
    new Message({ text: 'second', sender: 'User', id: '2' }),
    new Message({ text: 'third', sender: 'Machine', id: '3' }),
    new Message({ text: 'it broke', sender: 'Agent', id: '4', category: 'error' }),
  ];
  await ask(agent({ n_messages: 4 }), { history });
  expect(messagesOf(0)).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'second' },
    { role: 'assistant', content: 'third' },
    { role: 'user', content: 'What is 6 * 7?' },
  ]);
  await ask(agent({ n_messages: 0 }), { history, input: '  ' });
  expect(messagesOf(1)).toMatchObject([{}, { role: 'user', content: 'Continue the conversation.' }]);
});

test('fills the date and the model name into the system prompt', async () => {
  await ask(agent({ system_prompt: 'On {current_date} as {model_name}{optional_user_context}: {x}' }));
  expect(messagesOf(0)).toMatchObject([
    { content: expect.stringMatching(/^On \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC as gpt-4o-mini: \{x\}$/) },
    {},
  ]);
});

test('streams the answer token by token after the tool calls', async () => {
  server.answers.push(streamedCall);
  const { events, stored, text } = await ask(agent({ stream: true }), { stream: true });
  const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []));
  expect(tokens).toEqual(['Hello ', 'big ', 'world']);
  expect(text).toBe('Hello big world');
  expect(messagesOf(1)).toMatchObject([{}, {}, {}, { role: 'tool', content: '{"result":"4"}' }]);
  expect(stored[1]?.fields).toMatchObject({
    text: 'Hello big world',
    contentBlocks: [{ contents: [{ name: 'evaluate_expression' }] }],
  });
});

test('text before a tool call is streamed, but is not part of the answer', async () => {
  server.answers.push((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk('Let me see.'));
    finishCall(response);
  });
  const { events, stored } = await ask(agent({ stream: true }), { stream: true });
  const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []));
  expect(tokens).toEqual(['Let me see.', '\n\nHello ', 'big ', 'world']);
  expect(stored[1]?.fields).toMatchObject({
    text: 'Hello big world',
    contentBlocks: [{ contents: [{ name: 'evaluate_expression', output: '{"result":"4"}' }] }],
    properties: { usage: { total_tokens: 8 } },
  });
});

test('structured_response returns data that follows the schema, or any JSON without a schema', async () => {
  const output_schema = [{ name: 'sum', description: 'the sum', type: 'int', multiple: false }];
  const bare = { add_current_date_tool: false, output_schema };
  server.answers.push(callTools(['OutputModel', { objects: [{ sum: 42 }] }]));
  expect((await ask(agent(bare, [], 'structured_response'))).text).toContain('"sum": 42');
  server.answers.push(streamText('Here it is: {"sum": 43, "more": 1}'));
  expect((await ask(agent({ output_schema }, [calculator], 'structured_response'))).text).toBe(
    '```json\n{\n  "sum": 43\n}\n```',
  );
  server.answers.push(streamText('{"free": true}'));
  expect((await ask(agent({}, [], 'structured_response'))).text).toContain('"free": true');
  server.answers.push(streamText('words'));
  expect((await ask(agent({}, [], 'structured_response'))).text).toContain(
    '"error": "Could not parse as JSON"',
  );
  server.answers.push(refuse(400, { message: 'too long' }));
  expect((await ask(agent({}, [], 'structured_response'))).text).toContain('"error": "too long"');
});

test('nodes from before 1.7 name the model in separate fields', async () => {
  const older = {
    model: '',
    agent_llm: 'Groq',
    model_name: 'llama',
    api_key: 'gsk',
    groq_api_base: server.url,
  };
  await ask(agent({ ...older, temperature: '0.3', max_tokens: 20 }));
  expect(server.requests[0]).toMatchObject({
    path: '/v1/openai/v1/chat/completions',
    headers: { authorization: 'Bearer gsk' },
    body: { model: 'llama', temperature: 0.3, max_tokens: 20 },
  });
  expect(await failureOf(ask(agent({ model: '', agent_llm: 'Groq' })))).toContain(
    'No language model selected.',
  );
  expect(await failureOf(ask(agent({ model: '', agent_llm: 'Elsewhere', model_name: 'x' })))).toContain(
    'The provider "Elsewhere" of "Agent" is not one of: OpenAI',
  );
});

test('tool calls count toward the limit of executed vertices', async () => {
  for (let count = 0; count < 100; count += 1) {
    server.answers.push(
      callTools(...Array.from({ length: 10 }, () => ['evaluate_expression', { expression: '1' }] as const)),
    );
  }
  await expect(ask(agent({ max_iterations: 100 }))).rejects.toMatchObject({ code: 'too_many_vertices' });
});

/** Answers with a stream that contains a tool call and no text. */
function streamedCall(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  finishCall(response);
}

/** Ends a stream with a tool call whose arguments arrive in several chunks. */
function finishCall(response: ServerResponse): void {
  const piece = (call: object): string =>
    chunk('').replace('"content":""', `"tool_calls":[${JSON.stringify({ index: 0, ...call })}]`);
  const named = { name: 'evaluate_expression', arguments: '' };
  response.write(piece({ id: 'call_s', type: 'function', function: named }));
  response.write(piece({ function: { arguments: '{"expression"' } }));
  response.write(piece({ function: { arguments: ':"2+2"}' } }));
  response.end('data: [DONE]\n\n');
}
