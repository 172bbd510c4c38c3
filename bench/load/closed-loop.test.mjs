import { deepEqual, equal, ok } from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { portOf } from '@millrace/testing';
import { Answers } from './answers.mjs';
import { closedLoop } from './closed-loop.mjs';

const server = createServer((_request, response) => response.end('{"text":"hello"}'));
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
after(() => server.close());
const url = `http://127.0.0.1:${portOf(server)}/`;

test('the rate of an amount is that of the time in which all connections send', () => {
  let now = 0;
  const answers = new Answers(2, () => now);
  const [fast, slow] = [new EventEmitter(), new EventEmitter()];
  for (const client of [fast, slow]) answers.follow(client);
  /** @type {readonly (readonly [EventEmitter, number])[]} */
  const received = [
    [fast, 100],
    [slow, 150],
    [fast, 200],
    [slow, 9_000],
  ];
  for (const [client, at] of received) {
    now = at;
    client.emit('response', 200, 16, at);
  }
  equal(answers.perSecond(), 15);
  deepEqual(answers.sortedTimes(), [100, 150, 200, 9_000]);
});

test('an amount of requests is sent, and the latencies are not whole milliseconds', async () => {
  const result = await closedLoop({ url, body: {}, connections: 4, amount: 20, expected: '"text":"hello"' });
  deepEqual([result.requests, result.errors], [20, 0]);
  ok(result.perSecond > 0 && result.p50 > 0 && result.p99 >= result.p50);
});

test('an answer without the expected text is an error', async () => {
  const result = await closedLoop({ url, body: {}, connections: 1, amount: 2, expected: '"text":"other"' });
  equal(result.errors, 2);
  ok(result.problems?.includes('hello'));
});
