import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const echo = (values: Record<string, unknown> = {}): unknown =>
  flow(
    [node('ChatInput-a', 'ChatInput', values), node('ChatOutput-z', 'ChatOutput')],
    [edge('ChatInput-a', 'message', 'ChatOutput-z', 'input_value')],
  );

test('a chat input stores the message of the caller and passes it on', async () => {
  const { stored, text } = await runFlow(echo(), { input: 'hello', sessionId: 's-1' });
  expect(text).toBe('hello');
  expect(stored[0]?.fields).toMatchObject({
    text: 'hello',
    sender: 'User',
    senderName: 'User',
    sessionId: 's-1',
    properties: { source: { id: null, display_name: null, source: null } },
  });
});

test('a chat input does not store its message if storing is off', async () => {
  const { stored, text } = await runFlow(echo({ should_store_message: false }), { input: 'hush' });
  expect(text).toBe('hush');
  expect(stored.map((message) => message.fields.sender)).toEqual(['Machine']);
});

test('a stored message without the name of a sender is of the AI, one that is not stored has none', async () => {
  const unnamed = (should_store_message: boolean) =>
    flow(
      [
        node('ChatInput-a', 'ChatInput', { sender_name: '' }),
        node('ChatOutput-z', 'ChatOutput', { sender_name: '', should_store_message }),
      ],
      [edge('ChatInput-a', 'message', 'ChatOutput-z', 'input_value')],
    );
  const { stored, result } = await runFlow(unnamed(true), { input: 'x' });
  expect(stored.map(({ fields }) => fields.senderName)).toEqual(['AI', 'AI']);
  expect(result).toMatchObject({
    results: { message: { sender_name: 'AI' } },
    artifacts: { sender_name: '' },
  });
  expect((await runFlow(unnamed(false), { input: 'x' })).result?.results).toMatchObject({
    message: { sender_name: '' },
  });
});

test('a chat input sets sender, sender name and context', async () => {
  const named = echo({ sender: 'Machine', sender_name: 'Ann', context_id: 'c-1' });
  const { stored } = await runFlow(named, { input: 'x' });
  expect(stored[0]?.fields).toMatchObject({ sender: 'Machine', senderName: 'Ann', contextId: 'c-1' });
});
