import { Message } from '@millrace/python-text';
import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const storing = (values: Record<string, unknown>): unknown =>
  flow(
    [
      node('TextInput-a', 'TextInput', { input_value: 'stored text' }),
      node('StoreMessage-s', 'StoreMessage', values),
      node('TextOutput-z', 'TextOutput'),
    ],
    [
      edge('TextInput-a', 'text', 'StoreMessage-s', 'message'),
      edge('StoreMessage-s', 'stored_messages', 'TextOutput-z', 'input_value'),
    ],
  );

test('stores a text as a message of a sender', async () => {
  const { stored, text } = await runFlow(storing({ sender: 'User', sender_name: 'Zed' }), { sessionId: 's' });
  expect(text).toBe('stored text');
  expect(stored).toHaveLength(1);
  expect(stored[0]?.fields).toMatchObject({
    text: 'stored text',
    sender: 'User',
    senderName: 'Zed',
    sessionId: 's',
  });
});

test('returns the stored message, regardless of earlier messages of the same sender', async () => {
  const history = [new Message({ text: 'before', sender: 'Machine', senderName: 'AI' })];
  expect((await runFlow(storing({}), { history })).text).toBe('stored text');
});

test('the sender is the machine unless one is named', async () => {
  const { stored } = await runFlow(storing({}));
  expect(stored[0]?.fields).toMatchObject({ sender: 'Machine', senderName: 'AI' });
});

test('a chat output shows the stored message in its place', async () => {
  const document = flow(
    [
      node('TextInput-a', 'TextInput', { input_value: 'stored text' }),
      node('StoreMessage-s', 'StoreMessage', { sender: 'User' }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('TextInput-a', 'text', 'StoreMessage-s', 'message'),
      edge('StoreMessage-s', 'stored_messages', 'ChatOutput-z', 'input_value'),
    ],
  );
  const { stored } = await runFlow(document);
  expect(new Set(stored.map(({ fields }) => fields.id)).size).toBe(1);
  expect(stored.at(-1)?.fields).toMatchObject({ text: 'stored text', sender: 'Machine' });
});

test('a chat output that does not store shows the members of the row', async () => {
  const document = flow(
    [
      node('StoreMessage-s', 'StoreMessage', { message: 'stored text' }),
      node('ChatOutput-z', 'ChatOutput', { should_store_message: false }),
    ],
    [edge('StoreMessage-s', 'stored_messages', 'ChatOutput-z', 'input_value')],
  );
  expect((await runFlow(document)).result).toMatchObject({
    results: { message: { data: { user_id: 'user-1', is_output: false } } },
  });
});
