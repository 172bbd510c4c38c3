import { getEventListeners } from 'node:events';
import { Slots } from './running-attempts';
import type { Slot, SlotKind } from './running-attempts';

const never = new AbortController().signal;

test('grants as many slots as there are, in order of arrival', async () => {
  const slots = new Slots(2);
  const [first, second] = [
    await slots.take('shared', 'user', never),
    await slots.take('shared', 'user', never),
  ];
  const order: string[] = [];
  const third = Promise.resolve(slots.take('shared', 'user', never)).then(() => order.push('third'));
  const fourth = Promise.resolve(slots.take('shared', 'user', never)).then(() => order.push('fourth'));
  first?.release();
  await third;
  second?.release();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});

test('a run that needs exclusive slots waits for the others, and later runs wait behind it', async () => {
  const slots = new Slots(4);
  const first = await slots.take('shared', 'user', never);
  const alone = slots.take('exclusive', 'user', never);
  const later = slots.take('shared', 'user', never);
  first?.release();
  const slot = await alone;
  expect(slots.taken).toBe(1);
  slot?.release();
  expect(await later).not.toBeNull();
});

test('a run that stops waiting lets the next one take its slot', async () => {
  const slots = new Slots(4);
  await slots.take('shared', 'user', never);
  const aborting = new AbortController();
  const alone = slots.take('exclusive', 'user', aborting.signal);
  const later = slots.take('shared', 'user', never);
  aborting.abort();
  expect(await alone).toBeNull();
  expect(await later).not.toBeNull();
});

test('an aborted run does not wait, and a slot that is released twice counts once', async () => {
  const slots = new Slots(1);
  const slot = await slots.take('shared', 'user', never);
  expect(await slots.take('shared', 'user', AbortSignal.abort())).toBeNull();
  slot?.release();
  slot?.release();
  expect(slots.taken).toBe(0);
});

test('no listener stays on a signal after the wait', async () => {
  const slots = new Slots(1);
  const { signal } = new AbortController();
  for (let turn = 0; turn < 5; turn += 1) {
    const held = await slots.take('shared', 'user', signal);
    const waiting = slots.take('shared', 'user', signal);
    held?.release();
    (await waiting)?.release();
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('background runs leave some slots free for runs with a waiting caller', async () => {
  const slots = new Slots(4);
  const background = [];
  for (let count = 0; count < 3; count += 1) background.push(await slots.take('unreserved', 'user', never));
  const later = Promise.resolve(slots.take('unreserved', 'user', never));
  const waitedFor = await slots.take('shared', 'user', never);
  expect(slots.taken).toBe(4);
  waitedFor?.release();
  expect(slots.taken).toBe(3);
  background[0]?.release();
  expect(await later).not.toBeNull();
});

test('a single slot is not reserved', async () => {
  const slots = new Slots(1);
  const slot = await slots.take('unreserved', 'user', never);
  const waiting = Promise.resolve(slots.take('shared', 'user', never));
  slot?.release();
  expect(await waiting).not.toBeNull();
});

test('with a limit below the slots in use later runs wait, and a higher limit admits them', async () => {
  const slots = new Slots(4);
  const held = await Promise.all([1, 2, 3].map(() => slots.take('shared', 'user')));
  slots.limit = 2;
  expect(slots.taken).toBe(3);
  let isTaken = false;
  const waiting = Promise.resolve(slots.take('shared', 'user')).then((slot) => {
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

test('runs in the background leave one of two slots to callers', async () => {
  const slots = new Slots(2);
  await slots.take('unreserved', 'user', never);
  void slots.take('unreserved', 'user', never);
  expect(slots.taken).toBe(1);
});

/** Slots whose waiting runs are noted in the order in which they are served; `release` gives back the last slot that was granted. */
function opened(size: number) {
  const slots = new Slots(size);
  const order: string[] = [];
  let last: Slot | null = null;
  const wait = (owner: string, kind: SlotKind = 'shared', label = owner) =>
    void Promise.resolve(slots.take(kind, owner)).then((granted) => {
      order.push(label);
      last = granted;
    });
  const release = async (slot = last) => {
    slot?.release();
    await new Promise(setImmediate);
  };
  return { slots, order, wait, release };
}

test('owners take turns, and none waits for more than one run of each other owner', async () => {
  const { slots, order, wait, release } = opened(1);
  const held = await slots.take('shared', 'flooding');
  for (let count = 0; count < 4; count += 1) wait('flooding');
  wait('first');
  wait('first');
  wait('second');
  await release(held);
  await release();
  // One that was served in this round waits for the next.
  wait('first');
  for (let count = 0; count < 6; count += 1) await release();
  expect(order).toEqual([
    'flooding',
    'first',
    'second',
    'flooding',
    'first',
    'flooding',
    'first',
    'flooding',
  ]);
});

test('background runs of an owner cost its callers no turn', async () => {
  const { slots, order, wait, release } = opened(2);
  await slots.take('unreserved', 'flooding');
  const held = await slots.take('shared', 'x');
  for (let count = 0; count < 3; count += 1) wait('flooding', 'unreserved');
  wait('other');
  wait('other');
  wait('flooding');
  await release(held);
  await release();
  await release();
  expect(order).toEqual(['other', 'flooding', 'other']);
});

test('callers do not move the turns of background runs', async () => {
  const { slots, order, wait, release } = opened(2);
  const background = await slots.take('unreserved', 'flooding');
  const held = await slots.take('shared', 'x');
  for (let count = 0; count < 3; count += 1) wait('flooding', 'unreserved');
  wait('flooding');
  await release(held);
  wait('second', 'unreserved');
  await release(background);
  await release();
  expect(order).toEqual(['flooding', 'flooding', 'second']);
});

test('a run that is to be alone has had its turn', async () => {
  const { slots, order, wait, release } = opened(1);
  const held = await slots.take('shared', 'x');
  for (let count = 0; count < 3; count += 1) wait('flooding');
  wait('flooding', 'exclusive', 'alone');
  wait('other');
  await release(held);
  await release();
  await release();
  expect(order).toEqual(['flooding', 'alone', 'other']);
});

test('an earlier turn counts no more once no run waits', async () => {
  const { slots, order, wait, release } = opened(1);
  const held = await slots.take('shared', 'x');
  wait('a');
  await release(held);
  await release();
  const again = await slots.take('shared', 'x');
  wait('a');
  wait('b');
  await release(again);
  await release();
  expect(order).toEqual(['a', 'a', 'b']);
});
