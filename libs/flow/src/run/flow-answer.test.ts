import { flowAnswerOf, refusedAnswer } from './flow-answer';
import type { RunResponse } from './run-response';

const responseOf = (...results: readonly Record<string, unknown>[]) =>
  ({
    session_id: 's',
    outputs: [{ inputs: {}, outputs: results.map((result) => ({ results: result })) }],
  }) as unknown as RunResponse;
const answer = (changes: Record<string, unknown> = {}) => ({
  http_response: { data: { status: 201, headers: { etag: '"1"' }, body: 'made', ...changes } },
});

test('the first of several Respond vertices answers', () => {
  const response = responseOf({ message: { text: 'chat' } }, answer(), answer({ body: 'second' }));
  expect(flowAnswerOf(response)).toEqual({ status: 201, headers: { etag: '"1"' }, body: 'made' });
});

test.each([
  { status: 99 },
  { status: '200' },
  { headers: { 'set-cookie': 'a=b' } },
  { headers: { etag: 1 } },
  { headers: null },
  { body: null },
])('a stored result with %j is not an answer', (changes) => {
  expect(flowAnswerOf(responseOf(answer(changes)))).toBeNull();
});

test('a run without a Respond vertex has no answer', () => {
  expect(flowAnswerOf(responseOf({ message: { text: 'chat' } }))).toBeNull();
});

test('a body has at most a mebibyte in UTF-8', () => {
  const withBody = (count: number) => refusedAnswer({ status: 200, headers: {}, body: 'ü'.repeat(count) });
  expect(withBody(524_289)).toBe('The body has more than 1048576 bytes.');
  expect(withBody(524_288)).toBeNull();
});
