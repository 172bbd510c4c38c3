import { PartQueue } from './part-queue';

test('parts are read in order, also those that arrive later', async () => {
  const queue = new PartQueue<string>(10);
  queue.push('a', 1);
  setTimeout(() => {
    queue.push('b', 1);
    queue.complete();
  }, 5);
  const parts: string[] = [];
  for await (const part of queue.read()) parts.push(part);
  expect(parts).toEqual(['a', 'b']);
});

test('a failure comes after the parts before it', async () => {
  const queue = new PartQueue<string>(10);
  queue.push('a', 1);
  queue.fail(new Error('over'));
  const reading = queue.read();
  expect(await reading.next()).toEqual({ value: 'a', done: false });
  await expect(reading.next()).rejects.toThrow('over');
});

test('a reader that is too far behind is an error of the writer', () => {
  const queue = new PartQueue<string>(3);
  expect(queue.push('ab', 2)).toBe(true);
  expect(queue.push('cd', 2)).toBe(false);
});
