import { Message } from '@millrace/python-text';
import { SecretMask } from './secret-mask';
import { shownValue } from './shown-value';

const shown = (message: Message) => shownValue(message, new SecretMask(new Set()), { left: 1_000 });
const fields = { text: 'no', sender: 'Machine', senderName: 'AI', sessionId: 's', files: [] };
const inRecord = { text: 'no', sender: 'Machine', sender_name: 'AI', session_id: 's', files: [] };

test('a message that is an error is shown as one, and no other message is', () => {
  expect(shown(new Message({ ...fields, error: true }))).toEqual({ ...inRecord, error: true });
  expect(shown(new Message(fields))).toEqual(inRecord);
});
