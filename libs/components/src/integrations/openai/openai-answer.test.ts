import type { PythonValue } from '@millrace/python-text';
import type { ChatModel } from '../models/chat-protocol';
import { CollectedAnswer } from '../models/collected-answer';
import { readOpenAi } from './openai-answer';

function answerOf(...events: readonly unknown[]): CollectedAnswer {
  const answer = new CollectedAnswer();
  for (const event of events) readOpenAi(event as PythonValue, answer, { provider: 'OpenAI' } as ChatModel);
  return answer;
}

const part = (content: unknown, index?: number, finish_reason: string | null = null) => ({
  choices: [{ index, delta: { content }, finish_reason }],
});
const message = (content: unknown, index = 0) => ({
  index,
  message: { role: 'assistant', content },
  finish_reason: 'stop',
});

test('one of several choices is the answer, streamed and whole', () => {
  expect(answerOf(part('one', 0), part('other', 1), part(' more', 0)).whole().text).toBe('one more');
  expect(answerOf(part('one', 1), part('other', 2)).whole().text).toBe('one');
  expect(answerOf(part('one'), part(' more')).whole().text).toBe('one more');
  expect(answerOf({ choices: [message('second', 1), message('first')] }).whole().text).toBe('first');
});

test('a whole message at the end of a stream is not said twice', () => {
  expect(answerOf(part('Hel'), part('lo'), { choices: [message('Hello')] }).whole().text).toBe('Hello');
  expect(answerOf(part('Hel'), { choices: [message('Hello')] }).whole().text).toBe('Hello');
  expect(answerOf(part(''), { choices: [message('Hello')] }).whole().text).toBe('Hello');
});

test.each([42, false, 12345678901234567890n])('content that is %p is no answer', (content) => {
  expect(answerOf({ choices: [message(content)] }).hasBegun).toBe(false);
});
