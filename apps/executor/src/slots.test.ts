import { getEventListeners } from 'node:events';
import { Slots } from './slots';

const never = new AbortController().signal;

test('hands out as many slots as there are and serves in order', async () => {
  const slots = new Slots(2);
  const [first, second] = [await slots.take('shared', never), await slots.take('shared', never)];
  const order: string[] = [];
  const third = Promise.resolve(slots.take('shared', never)).then(() => order.push('third'));
  const fourth = Promise.resolve(slots.take('shared', never)).then(() => order.push('fourth'));
  first?.release();
  await third;
  second?.release();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});

test('a run that must be alone waits for the others and keeps later ones out', async () => {
  const slots = new Slots(4);
  const first = await slots.take('shared', never);
  const alone = slots.take('alone', never);
  const later = slots.take('shared', never);
  first?.release();
  const slot = await alone;
  expect(slots.taken).toBe(1);
  slot?.release();
  expect(await later).not.toBeNull();
});

test('a run that gives up waiting makes room for the one behind it', async () => {
  const slots = new Slots(4);
  await slots.take('shared', never);
  const leaving = new AbortController();
  const alone = slots.take('alone', leaving.signal);
  const later = slots.take('shared', never);
  leaving.abort();
  expect(await alone).toBeNull();
  expect(await later).not.toBeNull();
});

test('a run that has left already does not wait, and a slot given back twice is one slot', async () => {
  const slots = new Slots(1);
  const slot = await slots.take('shared', never);
  expect(await slots.take('shared', AbortSignal.abort())).toBeNull();
  slot?.release();
  slot?.release();
  expect(slots.taken).toBe(0);
});

test('nothing stays behind on a signal that lives longer than the wait', async () => {
  const slots = new Slots(1);
  const { signal } = new AbortController();
  for (let turn = 0; turn < 5; turn += 1) {
    const held = await slots.take('shared', signal);
    const waiting = slots.take('shared', signal);
    held?.release();
    (await waiting)?.release();
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('runs that nobody waits for leave some slots free for those that somebody waits for', async () => {
  const slots = new Slots(4);
  const background = [];
  for (let count = 0; count < 3; count += 1) background.push(await slots.take('spare', never));
  const later = Promise.resolve(slots.take('spare', never));
  const waitedFor = await slots.take('shared', never);
  expect(slots.taken).toBe(4);
  waitedFor?.release();
  expect(slots.taken).toBe(3);
  background[0]?.release();
  expect(await later).not.toBeNull();
});

test('a single slot is for everybody', async () => {
  const slots = new Slots(1);
  const slot = await slots.take('spare', never);
  const waiting = Promise.resolve(slots.take('shared', never));
  slot?.release();
  expect(await waiting).not.toBeNull();
});

test('fewer slots than are taken make later runs wait, and more slots let them in', async () => {
  const slots = new Slots(4);
  const held = await Promise.all([1, 2, 3].map(() => slots.take('shared')));
  slots.limit = 2;
  expect(slots.taken).toBe(3);
  let isTaken = false;
  const waiting = Promise.resolve(slots.take('shared')).then((slot) => {
    isTaken = true;
    return slot;
  });
  held[0]?.release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isTaken).toBe(false);
  slots.limit = 4;
  expect(await waiting).not.toBeNull();
  expect(slots.size).toBe(4);
});
