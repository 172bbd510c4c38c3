import { recordingLogger } from '@millrace/service/testing';
import { InFlightCounter } from './in-flight-counter';
import { BusUnavailableError } from './message-bus-errors';
import type { Delivery } from './message-bus';
import { runHandler } from './run-handler';
import { settleWithin } from './settle-within';
import { StateListeners } from './state-listeners';

test('a handler that fails is logged with its message, which is retried', async () => {
  const logger = recordingLogger();
  const delivery = { messageId: 'm', correlationId: 'c' } as Delivery;
  const error = new Error('broken');
  const fail = () => Promise.reject(error);
  await expect(runHandler(fail, delivery, 'q', logger)).resolves.toBe('retry');
  expect(logger.lines).toEqual([
    {
      level: 'error',
      message: 'delivery handler failed; will retry',
      fields: { error, queue: 'q', messageId: 'm', correlationId: 'c' },
    },
  ]);
  await expect(runHandler(async () => 'done', delivery, 'q', logger)).resolves.toBe('done');
  expect(logger.lines).toHaveLength(1);
});

test('a listener that throws is logged and stops no other, and one that was removed is not called', () => {
  const logger = recordingLogger();
  const listeners = new StateListeners(logger);
  const states: string[] = [];
  const error = new Error('broken');
  listeners.add(() => {
    throw error;
  });
  const remove = listeners.add((state) => void states.push(state));
  listeners.notify('blocked');
  remove();
  listeners.notify('connected');
  expect(states).toEqual(['blocked']);
  const message = 'a listener of the bus state failed';
  expect(logger.lines).toEqual(
    ['blocked', 'connected'].map((state) => ({ level: 'error', message, fields: { error, state } })),
  );
});

test('an answer is waited for until its time is over', async () => {
  await expect(settleWithin(Promise.resolve(7), 60_000, 'asking')).resolves.toBe(7);
  await expect(settleWithin(Promise.reject(new TypeError('x')), 60_000, 'asking')).rejects.toThrow(TypeError);
  const never = settleWithin(new Promise<never>(() => undefined), 1, 'asking');
  await expect(never).rejects.toThrow(new BusUnavailableError('asking: no answer within 1 ms'));
});

test('operations in flight are waited for until a deadline', async () => {
  const counter = new InFlightCounter();
  await expect(counter.whenIdle(60_000)).resolves.toBe(true);
  counter.begin();
  counter.begin();
  await expect(counter.whenIdle(1)).resolves.toBe(false);
  const ends: boolean[] = [];
  const waiting = [counter.whenIdle(60_000), counter.whenIdle(60_000)].map((one) =>
    one.then((isIdle) => ends.push(isIdle)),
  );
  counter.end();
  await new Promise(setImmediate);
  expect([counter.count, ends]).toEqual([1, []]);
  counter.end();
  await Promise.all(waiting);
  expect([counter.count, ends]).toEqual([0, [true, true]]);
});
