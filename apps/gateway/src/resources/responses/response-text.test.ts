import { ResponseText } from './response-text';

const token = (id: string, chunk: string) => ({ event: 'token', data: { id, chunk } });
const message = (id: string, text: string, state: string) => ({
  event: 'add_message',
  data: { id, text, sender: 'Machine', sender_name: 'AI', properties: { state } },
});

test('the text of two agents that stream beside each other is sent once', () => {
  const reader = new ResponseText('question');
  const events = [
    token('a', 'one '),
    token('b', 'eins '),
    token('a', 'two'),
    token('b', 'zwei'),
    message('a', 'one two', 'partial'),
    message('a', 'one two', 'complete'),
    message('b', 'eins zwei', 'partial'),
    message('b', 'eins zwei', 'complete'),
  ];
  expect(events.map((event) => reader.newText(event)).join('|')).toBe('one |eins |two|zwei||||');
});
