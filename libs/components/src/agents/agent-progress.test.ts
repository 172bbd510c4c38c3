import type { BuiltVertex } from '@millrace/engine';
import { callTools, streamText } from '../integrations/openai/openai-server.fixture';
import { toolNode } from '../testing/tool-node.fixture';
import { edge, flow, node } from '../testing/flow-under-test.fixture';
import { agentFlow, calculator, chosenModel, openAgentSuite, streamedCall } from './agent-flow.fixture';

const { server, ask } = openAgentSuite();

interface MessageResults {
  readonly message: {
    readonly content_blocks: unknown;
    readonly data: { readonly content_blocks: unknown };
  };
}

interface MessageEvent {
  readonly id: string;
  readonly text: string;
  readonly properties: { readonly state: string };
  readonly content_blocks: readonly { readonly contents: readonly Record<string, unknown>[] }[];
}

const titles = ({ content_blocks: [block] }: MessageEvent) =>
  block?.contents.map(({ type, header }) => (header as { title?: string }).title ?? type) ?? [];

test('a caller who streams sees each tool call when it begins and when it ends', async () => {
  server.answers.push(streamedCall);
  const { events, stored } = await ask(agentFlow({ stream: true }), { stream: true });
  const shown = events
    .filter(({ event }) => event !== 'token')
    .map(({ event, data }) => {
      const { name, id } = data as { readonly name?: string; readonly id?: string };
      if (event !== 'add_message') return [event, name ?? id];
      const message = data as unknown as MessageEvent;
      return [message.id, message.text, message.properties.state, titles(message)];
    });
  const [question, answer] = stored.map(({ fields }) => fields.id);
  const call = 'evaluate_expression';
  expect(shown).toEqual([
    [question, 'What is 6 * 7?', 'complete', []],
    [answer, '', 'partial', []],
    ['log', 'Tool Start'],
    [answer, '', 'partial', [`Accessing **${call}**`]],
    ['build_start', 'CalculatorComponent-t'],
    ['build_end', 'CalculatorComponent-t'],
    ['log', 'Tool End'],
    [answer, '', 'partial', [`Executed **${call}**`]],
    [answer, 'Hello big world', 'partial', [`Executed **${call}**`, 'text']],
    [answer, 'Hello big world', 'complete', [`Executed **${call}**`, 'text']],
    [answer, 'Hello big world', 'complete', [`Executed **${call}**`, 'text']],
    [answer, 'Hello big world', 'complete', [`Executed **${call}**`, 'text', 'Output']],
    [answer, 'Hello big world', 'complete', [`Executed **${call}**`, 'text', 'Output']],
  ]);
});

test.each([false, true])(
  'the steps of a partial message are beside its data (followed: %p)',
  async (followed) => {
    server.answers.push(streamedCall);
    const watch = { begins: () => undefined, ended: () => Promise.resolve() };
    const { events } = await ask(agentFlow({ stream: true }), { stream: true, ...(followed && { watch }) });
    const [, , begun, , , whole] = events
      .filter(({ event }) => event === 'add_message')
      .map(({ data }) => data as unknown as MessageEvent & { readonly data: MessageEvent });
    const call = { type: 'tool_use', name: 'evaluate_expression' };
    const group = { title: 'Agent Steps', contents: [call] };
    expect(begun?.data.content_blocks).toEqual([]);
    expect(begun?.content_blocks).toMatchObject([followed ? { ...call, id: null, contents: [] } : group]);
    const shown = { contents: [call, { type: 'text' }] };
    expect(whole?.data.content_blocks).toMatchObject([shown]);
    expect(whole?.content_blocks).toMatchObject([followed ? { ...shown, type: 'group', id: null } : shown]);
  },
);

test.each([false, true])(
  'a text without steps is a content for followers alone (followed: %p)',
  async (followed) => {
    const watch = { begins: () => undefined, ended: () => Promise.resolve() };
    const { events } = await ask(agentFlow({ stream: true }), { stream: true, ...(followed && { watch }) });
    const shown = events
      .filter(({ event }) => event === 'add_message')
      .map(({ data }) => (data as unknown as MessageEvent).content_blocks);
    const text = {
      type: 'text',
      id: null,
      duration: expect.any(Number) as number,
      header: {},
      contents: [],
      text: 'Hello big world',
    };
    expect(shown.filter((blocks) => blocks.length > 0)).toEqual(followed ? [[text]] : []);
  },
);

test('a call of a tool that fails ends, too, also of a node with another name of its type', async () => {
  server.answers.push(
    callTools(['make_api_request', { url_input: 'no url' }]),
    callTools(['build_prompt', {}]),
    streamText('done'),
  );
  const tools = [toolNode('API-t', 'APIRequest'), toolNode('Prompt-t', 'Prompt Template')];
  const { events } = await ask(agentFlow({}, tools), { stream: true });
  expect(
    events.flatMap(({ event, data }) => (event.startsWith('build') ? [[event, data['id']]] : [])),
  ).toEqual([
    ['build_start', 'API-t'],
    ['build_end', 'API-t'],
    ['build_start', 'Prompt-t'],
    ['build_end', 'Prompt-t'],
  ]);
});

test('the message of an agent has one time, before those of the messages that its tools store', async () => {
  server.answers.push(callTools(['store_message', { message: 'noted' }]), streamText('done'));
  const store = toolNode('StoreMessage-t', 'StoreMessage');
  const { events, stored } = await ask(agentFlow({}, [store]), { stream: true });
  const byTime = stored.toSorted((one, other) => (one.fields.timestamp < other.fields.timestamp ? -1 : 1));
  expect(byTime.map(({ text }) => text)).toEqual(['What is 6 * 7?', 'done', 'noted']);
  const answers = events
    .filter(({ event }) => event === 'add_message')
    .map(({ data }) => data as unknown as MessageEvent & { readonly timestamp: string })
    .filter(({ id }) => id === byTime[1]?.fields.id);
  expect(answers.length).toBeGreaterThan(2);
  expect(new Set(answers.map(({ timestamp }) => timestamp))).toEqual(new Set([byTime[1]?.fields.timestamp]));
});

test('the lines of the log name the tool, its arguments and its message', async () => {
  server.answers.push(streamedCall);
  const { events } = await ask(agentFlow(), { stream: true });
  const lines = events.filter(({ event }) => event === 'log').map(({ data }) => data);
  const common = { type: 'object', output: 'response', component_id: 'Agent-g' };
  expect(lines).toMatchObject([
    {
      ...common,
      name: 'Tool Start',
      message: {
        type: 'tool_start',
        serialized: { name: 'evaluate_expression' },
        inputs: { expression: '2+2' },
        tool_call_id: 'call_s',
      },
    },
    {
      ...common,
      name: 'Tool End',
      message: {
        type: 'tool_end',
        name: 'evaluate_expression',
        output: { type: 'tool', content: '{"result": "4"}', tool_call_id: 'call_s', status: 'success' },
      },
    },
  ]);
});

test('an agent streams its text also to a chat output that stores nothing, and is stored itself', async () => {
  server.answers.push(streamText('It is 42.'));
  const tweaks = { 'ChatOutput-z': { should_store_message: false } };
  const { events, stored, text } = await ask(agentFlow({ stream: true }), { stream: true, tweaks });
  const tokens = events.flatMap(({ event, data }) =>
    event === 'token' ? [(data as { readonly chunk: string }).chunk] : [],
  );
  expect(tokens.join('')).toBe('It is 42.');
  expect(text).toBe('It is 42.');
  expect(stored.map(({ fields }) => fields.text)).toEqual(['What is 6 * 7?', 'It is 42.']);
});

test('an agent that answers as a whole is stored, too, where its chat output stores nothing', async () => {
  const tweaks = { 'ChatOutput-z': { should_store_message: false } };
  const { stored, result } = await ask(agentFlow(), { tweaks });
  expect(stored.map(({ fields }) => [fields.text, fields.properties.icon])).toEqual([
    ['What is 6 * 7?', null],
    ['Hello big world', 'Bot'],
  ]);
  const { id, runId } = stored[1]?.fields ?? {};
  expect(result?.results).toMatchObject({ message: { data: { id, run_id: runId } } });
});

const silent = { should_store_message: false };

test.each([
  ['Ann', { sender_name: 'Ann', ...silent }, silent],
  ['Bob', silent, { sender_name: 'Bob' }],
  ['Ann', { sender_name: 'Ann' }, silent],
  ['Bob', { sender_name: 'Ann' }, { sender_name: 'Bob' }],
])('an agent before two chat outputs is one message, of %s', async (name, first, second) => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Agent-g', 'Agent', { model: chosenModel, stream: false, add_calculator_tool: false }),
      node('ChatOutput-y', 'ChatOutput', first),
      node('ChatOutput-z', 'ChatOutput', second),
    ],
    [
      edge('ChatInput-a', 'message', 'Agent-g', 'input_value'),
      edge('Agent-g', 'response', 'ChatOutput-y', 'input_value'),
      edge('Agent-g', 'response', 'ChatOutput-z', 'input_value'),
    ],
  );
  const { stored } = await ask(document);
  const answers = stored.filter(({ fields }) => fields.text === 'Hello big world');
  expect(new Set(answers.map(({ fields }) => fields.id)).size).toBe(1);
  expect(answers.at(-1)?.fields.senderName).toBe(name);
});

test.each([false, true])(
  'a model before two chat outputs is a message of each of them (streamed: %p)',
  async (stream) => {
    const document = flow(
      [
        node('ChatInput-a', 'ChatInput'),
        node('OpenAIModel-m', 'OpenAIModel', { model_name: 'gpt-4o-mini', api_key: 'sk-1', stream }),
        node('ChatOutput-y', 'ChatOutput', { sender_name: 'Ann' }),
        node('ChatOutput-z', 'ChatOutput', { sender_name: 'Bob' }),
      ],
      [
        edge('ChatInput-a', 'message', 'OpenAIModel-m', 'input_value'),
        edge('OpenAIModel-m', 'text_output', 'ChatOutput-y', 'input_value'),
        edge('OpenAIModel-m', 'text_output', 'ChatOutput-z', 'input_value'),
      ],
    );
    const { stored } = await ask(document, { stream });
    const answers = stored.filter(({ fields }) => fields.text === 'Hello big world');
    expect(answers.map(({ fields }) => fields.senderName).sort()).toEqual(['Ann', 'Bob']);
    expect(new Set(answers.map(({ fields }) => fields.id)).size).toBe(2);
  },
);

test('a chat output that shows the text of a model later has a message of its own', async () => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('OpenAIModel-m', 'OpenAIModel', { model_name: 'gpt-4o-mini', api_key: 'sk-1', stream: true }),
      node('ChatOutput-y', 'ChatOutput', { sender_name: 'Ann' }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'OpenAIModel-m', 'input_value'),
      edge('OpenAIModel-m', 'text_output', 'ChatOutput-y', 'input_value'),
      edge('OpenAIModel-m', 'text_output', 'ChatOutput-z', 'input_value'),
      edge('ChatOutput-y', 'message', 'ChatOutput-z', 'sender_name'),
    ],
  );
  const { stored } = await ask(document, { stream: true });
  const answers = stored.filter(({ fields }) => fields.text === 'Hello big world');
  expect(answers.map(({ fields }) => fields.senderName).sort()).toEqual(['Ann', 'Hello big world']);
  expect(new Set(answers.map(({ fields }) => fields.id)).size).toBe(2);
});

test('the answer of an agent has the session, and before a chat output its id and the name of it', async () => {
  const tweaks = { 'ChatOutput-z': { sender_name: 'Ann' } };
  const { result, stored } = await ask(agentFlow(), { tweaks, show: 'Agent-g', sessionId: 's-1' });
  const { id, runId, flowId } = stored[1]?.fields ?? {};
  const { response } = result?.artifacts as { readonly response: { readonly repr: string } };
  const own = { id, run_id: runId, flow_id: flowId, session_id: 's-1', sender_name: 'Ann' };
  expect(JSON.parse(response.repr)).toMatchObject(own);
});

test.each([false, true])(
  'only a chat output that stores the steps adds the output (streamed: %p)',
  async (stream) => {
    const call = callTools(['evaluate_expression', { expression: '6*7' }]);
    const tweaks = { 'ChatOutput-z': { should_store_message: false } };
    server.answers.push(stream ? streamedCall : call);
    const { stored, result } = await ask(agentFlow({ stream }), { stream, tweaks });
    const types = (message: unknown) =>
      (message as MessageEvent).content_blocks[0]?.contents.map(({ type, header }) => [
        type,
        (header as { readonly title?: string }).title ?? '',
      ]);
    const steps = [
      ['tool_use', 'Executed **evaluate_expression**'],
      ['text', ''],
    ];
    expect(types({ content_blocks: stored[1]?.fields.contentBlocks })).toEqual(steps);
    const { message } = result?.results as unknown as MessageResults;
    expect(types(message.data)).toEqual(steps);
    expect(types(message)).toEqual([...steps, ['text', 'Output']]);
  },
);

test('an answer that another component passes to the chat output is shown once, without a time', async () => {
  const agent = node('Agent-g', 'Agent', { model: chosenModel, add_calculator_tool: false });
  const document = flow(
    [
      calculator,
      agent,
      node('TypeConverterComponent-t', 'TypeConverterComponent'),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('CalculatorComponent-t', 'component_as_tool', 'Agent-g', 'tools'),
      edge('Agent-g', 'response', 'TypeConverterComponent-t', 'input_data'),
      edge('TypeConverterComponent-t', 'message_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]));
  const { stored } = await ask(document);
  const text = { type: 'text', duration: null, header: {}, text: 'Hello big world' };
  const call = expect.objectContaining({ type: 'tool_use' });
  expect(stored.at(-1)?.fields.contentBlocks).toMatchObject([{ contents: [call, text] }]);
});

test('callers and followers get the text of an agent once more than its session does', async () => {
  const watched: unknown[] = [];
  const watch = {
    begins: () => undefined,
    ended: ({ id, data }: BuiltVertex) => {
      if (id === 'ChatOutput-z') watched.push((data.results as MessageResults).message);
      return Promise.resolve();
    },
  };
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]));
  const { stored, result } = await ask(agentFlow(), { watch });
  const text = 'Hello big world';
  const given = { type: 'text', duration: expect.any(Number), header: {}, text };
  const output = { type: 'text', duration: null, header: { title: 'Output', icon: 'MessageSquare' }, text };
  const call = expect.objectContaining({ type: 'tool_use' });
  const { message } = result?.results as unknown as MessageResults;
  expect(stored[1]?.fields.contentBlocks).toMatchObject([{ contents: [call, given, output] }]);
  expect(message.data.content_blocks).toEqual(stored[1]?.fields.contentBlocks);
  expect(message.content_blocks).toMatchObject([{ contents: [call, given, output, output] }]);
  const common = { id: null, contents: [] };
  expect(watched).toMatchObject([
    {
      data: { content_blocks: [{ contents: [call, given, output] }] },
      content_blocks: [
        {
          type: 'group',
          title: 'Agent Steps',
          contents: [call, { ...given, ...common }, { ...output, ...common }],
        },
        { type: 'text', id: null, duration: null, header: {}, contents: [], text },
      ],
    },
  ]);
});

test('an agent that answers nothing shows its tool calls alone', async () => {
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]), streamText(''));
  const { stored, result } = await ask(agentFlow());
  const { message } = result?.results as unknown as MessageResults;
  const output = {
    content: '{"result": "42"}',
    name: 'evaluate_expression',
    id: expect.any(String),
    tool_call_id: 'call_0',
    artifact: { result: '42' },
    status: 'success',
  };
  const call = expect.objectContaining({ type: 'tool_use', output });
  expect(stored[1]?.fields.contentBlocks).toEqual([expect.objectContaining({ contents: [call] })]);
  expect(message.content_blocks).toEqual(stored[1]?.fields.contentBlocks);
});

test('Langflow 1.11 shows the text of a tool, and no text of the answer', async () => {
  server.answers.push(callTools(['evaluate_expression', { expression: '6*7' }]), streamText('It is 42.'));
  const { stored } = await ask(agentFlow(), { langflow: '1.11' });
  expect(stored[1]?.fields.contentBlocks).toMatchObject([{ contents: [{ output: '{"result": "42"}' }] }]);
  expect(stored[1]?.fields.contentBlocks).toEqual([
    expect.objectContaining({ contents: [expect.objectContaining({ type: 'tool_use' })] }),
  ]);
});
