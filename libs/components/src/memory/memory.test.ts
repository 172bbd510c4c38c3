import { Message } from '@millrace/flow';
import { toolNode } from '../agents/tool-node.fixture';
import { failureOf, flow, node, runFlow, wire } from '../flow-under-test.fixture';
import { callToolOf } from '../tool-caller.fixture';

const history = [
  new Message({ text: 'one', sender: 'User', senderName: 'Ann', contextId: 'c' }),
  new Message({ text: 'two', sender: 'Machine', senderName: 'AI' }),
  new Message({ text: 'three', sender: 'User', senderName: 'User' }),
];
const remembering = (values: Record<string, unknown>, output = 'messages_text'): unknown =>
  flow(
    [node('Memory-m', 'Memory', values), node('ChatOutput-z', 'ChatOutput')],
    [wire('Memory-m', output, 'ChatOutput-z', 'input_value')],
  );
const textOf = async (values: Record<string, unknown>, output?: string): Promise<unknown> =>
  (await runFlow(remembering(values, output), { history })).text;

test('tells the messages of the session, oldest first, by its template', async () => {
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
])('can be asked for %s', async (_, values, expected) => {
  expect(await textOf(values)).toBe(expected);
});

test('gives the messages as a table and as data', async () => {
  const table = flow(
    [
      node('Memory-m', 'Memory'),
      node('ParserComponent-p', 'ParserComponent', { pattern: '{sender_name}={text}', sep: ' ' }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      wire('Memory-m', 'dataframe', 'ParserComponent-p', 'input_data'),
      wire('ParserComponent-p', 'parsed_text', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(table, { history })).text).toBe('Ann=one AI=two User=three');
  expect(await textOf({}, 'messages')).toContain('"text": "three"');
});

test('stores a message and gives it, whatever its sender has said before', async () => {
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

const beside = [
  wire('Memory-m', 'messages_text', 'Prompt-p', 'history'),
  wire('ChatInput-a', 'message', 'Prompt-p', 'question'),
  wire('Prompt-p', 'prompt', 'ChatOutput-z', 'input_value'),
];
const prompt = node('Prompt-p', 'Prompt', { template: '[{history}] {question}', history: '', question: '' });

test.each([
  ['first', [node('ChatInput-a', 'ChatInput'), node('Memory-m', 'Memory', { n_messages: 2 })]],
  ['last', [node('Memory-m', 'Memory', { n_messages: 2 }), node('ChatInput-a', 'ChatInput')]],
])(
  'beside a chat input, which is %s in the file, the question takes no place in the history',
  async (_, ends) => {
    const document = flow([...ends, prompt, node('ChatOutput-z', 'ChatOutput')], beside);
    const { text } = await runFlow(document, { history, input: 'four' });
    expect(text).toBe('[AI: two\nUser: three] four');
  },
);

test('a message that the run has stored before is a part of the history', async () => {
  const document = flow(
    [
      ...[node('ChatInput-a', 'ChatInput'), node('TextInput-t', 'TextInput', { input_value: '<{text}>' })],
      ...[node('StoreMessage-s', 'StoreMessage'), node('Memory-m', 'Memory', { n_messages: 3 })],
      ...[prompt, node('ChatOutput-z', 'ChatOutput')],
    ],
    [
      wire('TextInput-t', 'text', 'StoreMessage-s', 'message'),
      wire('StoreMessage-s', 'stored_messages', 'Memory-m', 'template'),
      ...beside,
    ],
  );
  const { text } = await runFlow(document, { history, input: 'four' });
  expect(text).toBe('[<three>\n<four>\n<<{text}>>] four');
});

test.each(['Retrieve', 'Store'])('in the mode %s, a model may only read with it', async (mode) => {
  const { tools, said } = await callToolOf(toolNode('Memory-m', 'Memory', [], { mode }), {}, { history });
  expect(tools.map(({ name }) => name)).toEqual(['retrieve_messages_as_text', 'retrieve_messages_dataframe']);
  expect(said).toBe('Ann: one\nAI: two\nUser: three');
});

test('refuses a memory that is none', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('Memory-m', 'Memory'), node('ChatOutput-z', 'ChatOutput')],
    [
      wire('Webhook-a', 'output_data', 'Memory-m', 'memory'),
      wire('Memory-m', 'messages_text', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect(await failureOf(runFlow(document, { webhook: '{"a":1}' }))).toContain(
    'What is wired to the input "memory" is no chat memory.',
  );
});
