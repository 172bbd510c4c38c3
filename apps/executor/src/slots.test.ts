import { Slots } from './slots';

const never = new AbortController().signal;

test('hands out as many slots as there are and serves in order', async () => {
  const slots = new Slots(2);
  expect(slots.take(false, never)).toBe(true);
  expect(slots.take(false, never)).toBe(true);
  const order: string[] = [];
  const third = Promise.resolve(slots.take(false, never)).then(() => order.push('third'));
  const fourth = Promise.resolve(slots.take(false, never)).then(() => order.push('fourth'));
  slots.release();
  await third;
  slots.release();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});

test('a run that must be alone waits for the others and keeps later ones out', async () => {
  const slots = new Slots(4);
  slots.take(false, never);
  const alone = slots.take(true, never);
  const later = slots.take(false, never);
  slots.release();
  await expect(alone).resolves.toBe(true);
  expect(slots.taken).toBe(1);
  slots.release();
  await expect(later).resolves.toBe(true);
});

test('a run that gives up waiting makes room for the one behind it', async () => {
  const slots = new Slots(4);
  slots.take(false, never);
  const leaving = new AbortController();
  const alone = slots.take(true, leaving.signal);
  const later = slots.take(false, never);
  leaving.abort();
  await expect(alone).resolves.toBe(false);
  await expect(later).resolves.toBe(true);
});
