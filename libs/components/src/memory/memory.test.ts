import { Message } from '@millrace/python-text';
import { toolNode } from '../testing/tool-node.fixture';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';

const history = [
  new Message({ text: 'one', sender: 'User', senderName: 'Ann', contextId: 'c' }),
  new Message({ text: 'two', sender: 'Machine', senderName: 'AI' }),
  new Message({ text: 'three', sender: 'User', senderName: 'User' }),
];
const remembering = (values: Record<string, unknown>, output = 'messages_text'): unknown =>
  flow(
    [node('Memory-m', 'Memory', values), node('ChatOutput-z', 'ChatOutput')],
    [edge('Memory-m', output, 'ChatOutput-z', 'input_value')],
  );
const textOf = async (values: Record<string, unknown>, output?: string): Promise<unknown> =>
  (await runFlow(remembering(values, output), { history })).text;

test('formats the messages of the session with its template, oldest first', async () => {
  expect(await textOf({})).toBe('Ann: one\nAI: two\nUser: three');
  expect(await textOf({ template: '[{sender}] {text}' })).toBe('[User] one\n[Machine] two\n[User] three');
});

test.each([
  ['the newest', { n_messages: 2 }, 'AI: two\nUser: three'],
  ['none', { n_messages: 0 }, ''],
  ['the newest first', { order: 'Descending' }, 'User: three\nAI: two\nAnn: one'],
  ["the machine's", { sender_type: 'Machine' }, 'AI: two'],
  ['those of a name', { sender_name: 'Ann' }, 'Ann: one'],
  ['those of a context', { context_id: 'c' }, 'Ann: one'],
])('can return %s', async (_, values, expected) => {
  expect(await textOf(values)).toBe(expected);
});

test('returns the messages as a table and as data', async () => {
  const table = flow(
    [
      node('Memory-m', 'Memory'),
      node('ParserComponent-p', 'ParserComponent', { pattern: '{sender_name}={text}', sep: ' ' }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Memory-m', 'dataframe', 'ParserComponent-p', 'input_data'),
      edge('ParserComponent-p', 'parsed_text', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(table, { history })).text).toBe('Ann=one AI=two User=three');
  expect(await textOf({}, 'messages')).toContain('"text": "three"');
  expect(await textOf({ n_messages: 1, template: '{user_id} {is_output}' })).toBe('user-1 False');
});

test('stores a message and returns it, regardless of earlier messages of its sender', async () => {
  const store = { mode: 'Store', message: 'remember me', sender_name: 'Ann', sender: 'User' };
  const { text, stored } = await runFlow(remembering(store, 'stored_messages'), { history, sessionId: 's' });
  expect(text).toBe('remember me');
  expect(stored[0]?.fields).toMatchObject({
    text: 'remember me',
    sender: 'User',
    senderName: 'Ann',
    sessionId: 's',
    sessionMetadata: null,
  });
});

const historyEdges = [
  edge('Memory-m', 'messages_text', 'Prompt-p', 'history'),
  edge('ChatInput-a', 'message', 'Prompt-p', 'question'),
  edge('Prompt-p', 'prompt', 'ChatOutput-z', 'input_value'),
];
const prompt = node('Prompt-p', 'Prompt', { template: '[{history}] {question}', history: '', question: '' });

test.each([
  ['first', [node('ChatInput-a', 'ChatInput'), node('Memory-m', 'Memory', { n_messages: 2 })]],
  ['last', [node('Memory-m', 'Memory', { n_messages: 2 }), node('ChatInput-a', 'ChatInput')]],
])(
  'with a chat input, which is %s in the file, the question does not count toward the limit',
  async (_, ends) => {
    const document = flow([...ends, prompt, node('ChatOutput-z', 'ChatOutput')], historyEdges);
    const { text } = await runFlow(document, { history, input: 'four' });
    expect(text).toBe('[AI: two\nUser: three] four');
  },
);

test('the history contains messages that the run stored earlier', async () => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('TextInput-t', 'TextInput', { input_value: '<{text}>' }),
      node('StoreMessage-s', 'StoreMessage'),
      node('Memory-m', 'Memory', { n_messages: 3 }),
      prompt,
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('TextInput-t', 'text', 'StoreMessage-s', 'message'),
      edge('StoreMessage-s', 'stored_messages', 'Memory-m', 'template'),
      ...historyEdges,
    ],
  );
  const { text } = await runFlow(document, { history, input: 'four' });
  expect(text).toBe('[<three>\n<four>\n<<{text}>>] four');
});

test.each(['Retrieve', 'Store'])('in the mode %s, a model can only read with it', async (mode) => {
  const { tools, result } = await callToolOf(toolNode('Memory-m', 'Memory', [], { mode }), {}, { history });
  expect(tools.map(({ name }) => name)).toEqual(['retrieve_messages_as_text', 'retrieve_messages_dataframe']);
  expect(result).toBe('Ann: one\nAI: two\nUser: three');
});

test('rejects a value that is not a memory', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('Memory-m', 'Memory'), node('ChatOutput-z', 'ChatOutput')],
    [
      edge('Webhook-a', 'output_data', 'Memory-m', 'memory'),
      edge('Memory-m', 'messages_text', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect(await failureOf(runFlow(document, { webhook: '{"a":1}' }))).toContain(
    'The value connected to the input "memory" is not a chat memory.',
  );
});
