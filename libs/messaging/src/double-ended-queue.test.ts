import fc from 'fast-check';
import { DoubleEndedQueue } from './double-ended-queue';

test('a queue has the elements of a list that gets and loses the same ones', () => {
  const step = fc.constantFrom(
    'addFirst' as const,
    'addLast' as const,
    'addLast' as const,
    'takeFirst' as const,
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const queue = new DoubleEndedQueue<number>();
      const list: number[] = [];
      for (const [value, name] of steps.entries()) {
        if (name === 'takeFirst') expect(queue.takeFirst()).toBe(list.shift());
        else if (name === 'addFirst') list.unshift(value);
        else list.push(value);
        if (name !== 'takeFirst') queue[name](value);
        expect([queue.length, queue.first()]).toEqual([list.length, list[0]]);
      }
      while (list.length > 0) expect(queue.takeFirst()).toBe(list.shift());
      expect([queue.takeFirst(), queue.first(), queue.length]).toEqual([undefined, undefined, 0]);
    }),
    { numRuns: 200 },
  );
});

test('a queue of many elements keeps their order while it grows and shrinks', () => {
  const queue = new DoubleEndedQueue<number>();
  for (let value = 0; value < 1_000; value += 1) queue.addLast(value);
  const taken = Array.from({ length: 990 }, () => queue.takeFirst());
  for (let value = 1_000; value < 1_100; value += 1) queue.addLast(value);
  while (queue.length > 0) taken.push(queue.takeFirst());
  expect(taken).toEqual(Array.from({ length: 1_100 }, (_, value) => value));
});
