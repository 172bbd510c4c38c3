import { brokerUrlProblem } from './broker-url-problem';
import { QueueSourceError, readQueueSource } from './queue-source';
import { textAt } from './queue-event';

const read = (config: object) =>
  readQueueSource({ connection: 'BROKER', queue: 'orders', ...config }, { maximumPrefetch: 200 });

test('a configuration has defaults', () => {
  const { rules, config } = read({});
  expect(rules).toEqual({
    connection: 'BROKER',
    queue: 'orders',
    prefetch: 100,
    dedupeBy: { property: 'message_id' },
    body: 'json',
    inputValue: null,
    reply: true,
  });
  expect(readQueueSource(config, { maximumPrefetch: 200 })).toEqual({ rules, config });
  expect(read({ dedupe_by: 'header:x-id' }).rules.dedupeBy).toEqual({ header: 'x-id' });
  expect(read({ dedupe_by: 'none', input_value: '' }).rules).toMatchObject({
    dedupeBy: null,
    inputValue: '',
  });
  expect(readQueueSource({ connection: 'B', queue: 'q' }, { maximumPrefetch: 7 }).rules.prefetch).toBe(7);
});

test.each([
  [
    { connection: undefined },
    'connection must be the name of a variable of type Credential, of at most 255 bytes.',
  ],
  [{ queue: '' }, 'queue must be the name of a queue, of at most 255 bytes.'],
  [{ queue: 'ü'.repeat(128) }, 'queue must be the name of a queue, of at most 255 bytes.'],
  [{ prefetch: 201 }, 'prefetch must be an integer from 1 to 200.'],
  [{ prefetch: 1.5 }, 'prefetch must be an integer from 1 to 200.'],
  [{ dedupe_by: 'header:' }, "dedupe_by must be message_id, none, or header: and a header's name."],
  [{ body: 'xml' }, 'body must be json, text or base64.'],
  [{ input_value: 'a' }, 'input_value must be a JSON Pointer, such as /question; empty for the whole body.'],
  [{ reply: 1 }, 'reply must be a boolean.'],
  [{ share_session: 1 }, 'share_session must be a boolean.'],
  [{ url: 'amqp://x' }, "'url' is not a member of the configuration."],
])('%j is refused', (config, message) => {
  expect(() => read(config)).toThrow(new QueueSourceError(message));
});

test('a pointer finds a text in the body', () => {
  const body = { a: { 'b/c~d': ['x', { n: 1.5 }] }, none: null };
  expect(textAt(body, '/a/b~1c~0d/0')).toBe('x');
  expect(textAt(body, '/a/b~1c~0d/1')).toBe('{"n":1.5}');
  for (const pointer of ['/none', '/absent', '/a/b', '/a/b~1c~0d/length', '/constructor'])
    expect(textAt(body, pointer)).toBe('');
  expect(textAt('whole', '')).toBe('whole');
});

test.each([
  ['amqp://user:secret@broker.test/vhost', null],
  ['amqps://broker.test', null],
  ['http://broker.test', 'is not a URL over amqp or amqps'],
  ['amqp://', 'names no host'],
  ['broker', 'is not a URL'],
  ['amqp://user:a#b@broker.test', 'is not a URL'],
])('the URL %s: %s', (url, problem) => {
  expect(brokerUrlProblem(url)).toBe(problem);
});
