import { getEventListeners } from 'node:events';
import { Slots } from './slots';

const never = new AbortController().signal;

test('hands out as many slots as there are and serves in order', async () => {
  const slots = new Slots(2);
  const [first, second] = [await slots.take(false, never), await slots.take(false, never)];
  const order: string[] = [];
  const third = Promise.resolve(slots.take(false, never)).then(() => order.push('third'));
  const fourth = Promise.resolve(slots.take(false, never)).then(() => order.push('fourth'));
  first?.release();
  await third;
  second?.release();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});

test('a run that must be alone waits for the others and keeps later ones out', async () => {
  const slots = new Slots(4);
  const first = await slots.take(false, never);
  const alone = slots.take(true, never);
  const later = slots.take(false, never);
  first?.release();
  const slot = await alone;
  expect(slots.taken).toBe(1);
  slot?.release();
  expect(await later).not.toBeNull();
});

test('a run that gives up waiting makes room for the one behind it', async () => {
  const slots = new Slots(4);
  await slots.take(false, never);
  const leaving = new AbortController();
  const alone = slots.take(true, leaving.signal);
  const later = slots.take(false, never);
  leaving.abort();
  expect(await alone).toBeNull();
  expect(await later).not.toBeNull();
});

test('a run that has left already does not wait, and a slot given back twice is one slot', async () => {
  const slots = new Slots(1);
  const slot = await slots.take(false, never);
  expect(await slots.take(false, AbortSignal.abort())).toBeNull();
  slot?.release();
  slot?.release();
  expect(slots.taken).toBe(0);
});

test('nothing stays behind on a signal that lives longer than the wait', async () => {
  const slots = new Slots(1);
  const { signal } = new AbortController();
  for (let turn = 0; turn < 5; turn += 1) {
    const held = await slots.take(false, signal);
    const waiting = slots.take(false, signal);
    held?.release();
    (await waiting)?.release();
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
