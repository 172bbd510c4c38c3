import { Message } from '@millrace/python-text';
import { failureOf } from '../testing/flow-under-test.fixture';
import { callTools, chunk, refuse, streamText } from '../integrations/openai/openai-server.fixture';
import { agentFlow, calculator, finishCall, openAgentSuite, streamedCall } from './agent-flow.fixture';
import { fileOwner, filesUnderTest } from '../testing/run-files.fixture';

const { server, ask, messagesOf } = openAgentSuite();

test('calls the tool that the model requests, and answers with its final text', async () => {
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]), streamText('It is 42.'));
  const { text, stored } = await ask(agentFlow());
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
    { role: 'tool', tool_call_id: 'call_0', content: '{"result": "42"}' },
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
            output: {
              type: 'tool',
              content: '{"result": "42"}',
              artifact: { result: '42' },
              status: 'success',
            },
            error: null,
          },
          { type: 'text', text: 'It is 42.' },
          { type: 'text', header: { title: 'Output' }, text: 'It is 42.' },
        ],
      },
    ],
    properties: { usage: { input_tokens: 10, output_tokens: 6, total_tokens: 16 } },
  });
});

test('sends the model the files of the question, and those of earlier messages that are still there', async () => {
  const { resources } = filesUnderTest({ 'old.txt': 'before', 'new.csv': 'a,b' });
  const paths = ['old.txt', 'deleted.txt', 'song.mp3'].map((name) => `${fileOwner}/${name}`);
  const history = [
    new Message({ text: 'first', sender: 'User', sessionId: 's', files: paths }),
    new Message({ text: 'reply', sender: 'Machine', sessionId: 's', files: paths }),
  ];
  const document = agentFlow({ n_messages: 10 }, [], 'response', { files: '' });
  for (const stream of [false, true]) {
    const tweaks = { 'ChatInput-a': { files: [`${fileOwner}/new.csv`] } };
    await ask(document, { history, resources, tweaks, stream, input: '' });
    expect((messagesOf(server.requests.length - 1) as readonly unknown[]).slice(1)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'first' },
          { type: 'text', text: "File 'old.txt' contents:\nbefore" },
        ],
      },
      { role: 'assistant', content: 'reply' },
      { role: 'user', content: [{ type: 'text', text: "File 'new.csv' contents:\na,b" }] },
    ]);
  }
});

test('files of the question and of earlier messages have at most 32 MiB together', async () => {
  const file = Buffer.alloc(9 * 1_048_576, 'a');
  const { resources } = filesUnderTest({ '1.png': file, '2.png': file, '3.png': file, '4.png': file });
  const [first, second, third, fourth] = [1, 2, 3, 4].map((name) => `${fileOwner}/${name}.png`);
  const asked = (earlier: unknown, files: unknown) => {
    const history = [new Message({ text: 'q', sender: 'User', sessionId: 's', files: earlier as string[] })];
    const document = agentFlow({ n_messages: 10 }, [], 'response', { files: '' });
    return ask(document, { history, resources, tweaks: { 'ChatInput-a': { files } }, input: '' });
  };
  const refused = `at most 32 MiB together for a model; '${fourth}' exceeds that.`;
  expect(await failureOf(asked([first, second], [third, fourth]))).toContain(refused);
  expect(await failureOf(asked([first, second, third, fourth], []))).toContain(refused);
  expect(server.requests).toEqual([]);
});

test('sends the model the last n_messages messages of the session', async () => {
  const history = [
    new Message({ text: 'first', sender: 'User', id: '1' }),
    new Message({ text: 'second', sender: 'User', id: '2' }),
    new Message({ text: 'third', sender: 'Machine', id: '3' }),
    new Message({ text: 'it broke', sender: 'Agent', id: '4', category: 'error' }),
  ];
  await ask(agentFlow({ n_messages: 4 }), { history });
  expect(messagesOf(0)).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'second' },
    { role: 'assistant', content: 'third' },
    { role: 'assistant', content: 'it broke' },
    { role: 'user', content: 'What is 6 * 7?' },
  ]);
  await ask(agentFlow({ n_messages: 0 }), { history, input: '  ' });
  expect(messagesOf(1)).toMatchObject([{}, { role: 'user', content: 'Continue the conversation.' }]);
});

test('fills the date and the model name into the system prompt', async () => {
  await ask(agentFlow({ system_prompt: 'On {current_date} as {model_name}{optional_user_context}: {x}' }));
  expect(messagesOf(0)).toMatchObject([
    { content: expect.stringMatching(/^On \d{4}-\d\d-\d\d as gpt-4o-mini: \{x\}$/) },
    {},
  ]);
});

test('streams the answer token by token after the tool calls', async () => {
  server.answers.push(streamedCall);
  const { events, stored, text } = await ask(agentFlow({ stream: true }), { stream: true });
  const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []));
  expect(tokens).toEqual(['Hello ', 'big ', 'world']);
  expect(text).toBe('Hello big world');
  expect(messagesOf(1)).toMatchObject([{}, {}, {}, { role: 'tool', content: '{"result": "4"}' }]);
  expect(stored[1]?.fields).toMatchObject({
    text: 'Hello big world',
    contentBlocks: [{ contents: [{ name: 'evaluate_expression' }, { type: 'text' }, { type: 'text' }] }],
  });
});

test('text before a tool call is streamed, but is not part of the answer', async () => {
  server.answers.push((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk('Let me see.'));
    finishCall(response);
  });
  const { events, stored } = await ask(agentFlow({ stream: true }), { stream: true });
  const tokens = events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []));
  expect(tokens).toEqual(['Let me see.', '\n\nHello ', 'big ', 'world']);
  expect(stored[1]?.fields).toMatchObject({
    text: 'Hello big world',
    contentBlocks: [{ contents: [{ output: { content: '{"result": "4"}' } }, {}, {}] }],
    properties: { usage: { total_tokens: 8 } },
  });
});

test('structured_response is the input without a schema, and the model is not asked', async () => {
  const { text } = await ask(agentFlow({}, [], 'structured_response'));
  expect(text).toMatch(/^```json\n\{\n {2}"content": "[^"]+"\n\}\n```$/);
  expect(server.requests).toEqual([]);
});

test('structured_response returns data that follows the schema, or any JSON with an empty row', async () => {
  const open = { output_schema: [{ name: '' }] };
  const output_schema = [{ name: 'sum', description: 'the sum', type: 'int', multiple: false }];
  const bare = { add_current_date_tool: false, output_schema };
  server.answers.push(callTools(['OutputModel', { objects: [{ sum: 42 }] }]));
  expect((await ask(agentFlow(bare, [], 'structured_response'))).text).toContain('"sum": 42');
  server.answers.push(streamText('Here it is: {"sum": 43, "more": 1}'));
  expect((await ask(agentFlow({ output_schema }, [calculator], 'structured_response'))).text).toBe(
    '```json\n{\n  "sum": 43\n}\n```',
  );
  server.answers.push(streamText('{"free": true}'));
  expect((await ask(agentFlow(open, [], 'structured_response'))).text).toContain('"free": true');
  server.answers.push(streamText('words'));
  expect((await ask(agentFlow(open, [], 'structured_response'))).text).toContain(
    '"error": "Try setting an output schema"',
  );
  server.answers.push(refuse(400, { message: 'too long' }));
  expect((await ask(agentFlow(open, [], 'structured_response'))).text).toContain(
    `"error": "Error code: 400 - {'error': {'message': 'too long'}}."`,
  );
});

test('a model that is asked for data of a schema, and refuses, fails the agent', async () => {
  const output_schema = [{ name: 'sum', description: 'the sum', type: 'int', multiple: false }];
  server.answers.push(refuse(401, { message: 'no key' }));
  const run = ask(agentFlow({ add_current_date_tool: false, output_schema }, [], 'structured_response'));
  await expect(run).rejects.toThrow(/Error code: 401 - \{'error': \{'message': 'no key'\}\}$/);
});

test('nodes from before 1.7 name the model in separate fields', async () => {
  const older = {
    model: '',
    agent_llm: 'Groq',
    model_name: 'llama',
    api_key: 'gsk',
    groq_api_base: server.url,
  };
  await ask(agentFlow({ ...older, temperature: '0.3', max_tokens: 20 }));
  expect(server.requests[0]).toMatchObject({
    path: '/v1/openai/v1/chat/completions',
    headers: { authorization: 'Bearer gsk' },
    body: { model: 'llama', temperature: 0.3, max_tokens: 20 },
  });
  expect(await failureOf(ask(agentFlow({ model: '', agent_llm: 'Groq' })))).toContain(
    'No language model selected.',
  );
  expect(await failureOf(ask(agentFlow({ model: '', agent_llm: 'Elsewhere', model_name: 'x' })))).toContain(
    'The provider "Elsewhere" of "Agent" is not one of: OpenAI',
  );
});
