import { Message } from '@millrace/flow';
import { flow, node, runFlow, wire } from '../flow-under-test.fixture';

const storing = (values: Record<string, unknown>): unknown =>
  flow(
    [
      node('TextInput-a', 'TextInput', { input_value: 'stored text' }),
      node('StoreMessage-s', 'StoreMessage', values),
      node('TextOutput-z', 'TextOutput'),
    ],
    [
      wire('TextInput-a', 'text', 'StoreMessage-s', 'message'),
      wire('StoreMessage-s', 'stored_messages', 'TextOutput-z', 'input_value'),
    ],
  );

test('stores a text as what somebody said', async () => {
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

test('gives the message it has stored, whatever the same sender has said before', async () => {
  const history = [new Message({ text: 'before', sender: 'Machine', senderName: 'AI' })];
  expect((await runFlow(storing({}), { history })).text).toBe('stored text');
});

test('it is the machine that speaks unless somebody is named', async () => {
  const { stored } = await runFlow(storing({}));
  expect(stored[0]?.fields).toMatchObject({ sender: 'Machine', senderName: 'AI' });
});
