import { readControlMessage } from '../index';

test('parses every kind of control message', () => {
  const messages = [
    { kind: 'cancel', runId: 'run', reason: 'asked' },
    { kind: 'flow-changed', flowId: 'flow' },
    { kind: 'key-revoked', keyHash: 'hash' },
    { kind: 'session-ended', tokenHash: 'hash' },
    { kind: 'limits-changed', scope: 'flow' },
    { kind: 'who-waits', runId: 'run', userId: 'user', asker: 'one' },
    { kind: 'who-runs', runId: 'run', attempt: 0, asker: 'one' },
    { kind: 'i-run', runId: 'run', attempt: 1, worker: 'two', asker: 'one' },
    { kind: 'are-you-there', asker: 'one', pool: 'default', ping: 1 },
    { kind: 'i-am-here', worker: 'two', pool: 'default', ping: 1, connectedMilliseconds: 5 },
  ];
  for (const message of messages) expect(readControlMessage(JSON.stringify(message))).toEqual(message);
});

test.each([
  '',
  'no JSON',
  'null',
  '7',
  '[]',
  '{}',
  '{"kind":7}',
  '{"kind":"cancel"}',
  '{"kind":"i-run","runId":7}',
])('rejects %s', (text) => {
  expect(readControlMessage(text)).toBeNull();
});

test('accepts unknown kinds of future versions', () => {
  expect(readControlMessage('{"kind":"toString"}')).toEqual({ kind: 'toString' });
});
