import { acceptsEventStream, jsonFraming, serverSentFraming } from './event-framing';

const lines = Buffer.from('{"event": "token", "data": {"chunk": "a\\nb"}}\n{"event": "end", "data": {}}\n');

test('the framing for clients of Langflow writes each event as an object and a blank line', () => {
  expect(jsonFraming.frame(lines).toString()).toBe(
    '{"event": "token", "data": {"chunk": "a\\nb"}}\n\n{"event": "end", "data": {}}\n\n',
  );
});

test('server-sent events have a number, a name and data', () => {
  const { frame } = serverSentFraming();
  expect(frame(lines).toString()).toBe(
    'id: 1\nevent: token\ndata: {"chunk": "a\\nb"}\n\nid: 2\nevent: end\ndata: {}\n\n',
  );
  expect(frame(Buffer.from('{"other": 1}\n')).toString()).toBe('id: 3\ndata: {"other": 1}\n\n');
});

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['text/event-stream', true],
  ['application/json, Text/Event-Stream;q=0.5', true],
  ['text/event-stream; q=0', false],
  ['text/event-streams', false],
])('Accept: %s asks for server-sent events: %s', (accept, expected) => {
  expect(acceptsEventStream(accept)).toBe(expected);
});
