import type { Verdict } from '@millrace/messaging';
import { DeliveriesInHand } from './deliveries-in-hand';

/** A delivery whose run begins and ends when the test says so. */
function delivery({ isWorn = false, isTaken = true } = {}) {
  let finish: (verdict: Verdict) => void = () => undefined;
  let held: () => void = () => undefined;
  let begun = 0;
  return {
    isWorn,
    work: (isHeld: () => void) => {
      begun += 1;
      held = isHeld;
      return new Promise<Verdict>((resolve) => {
        finish = resolve;
      });
    },
    leave: () => Promise.resolve(isTaken),
    held: () => held(),
    finish: (verdict: Verdict) => finish(verdict),
    get begun() {
      return begun;
    },
  };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));
const stateOf = async (settled: Promise<Verdict>) => Promise.race([settled, soon().then(() => 'open')]);

test('deliveries of one run do its work once and are settled alike', async () => {
  const inHand = new DeliveriesInHand();
  const [first, second] = [delivery(), delivery()];
  const settled = [inHand.settle('run', first), inHand.settle('run', second)];
  first.held();
  expect(await stateOf(settled[1]!)).toBe('open');
  first.finish('retry');
  expect(await Promise.all(settled)).toEqual(['retry', 'retry']);
  expect([first.begun, second.begun]).toEqual([1, 0]);
  void inHand.settle('run', second);
  expect(second.begun).toBe(1);
});

test('a worn message is settled when its row holds the run, and not before', async () => {
  const inHand = new DeliveriesInHand();
  const first = delivery();
  const settled = inHand.settle('run', first);
  const worn = inHand.settle('run', delivery({ isWorn: true }));
  expect([await stateOf(settled), await stateOf(worn), inHand.isSettled('run')]).toEqual([
    'open',
    'open',
    false,
  ]);
  first.held();
  expect([await settled, await worn, inHand.isSettled('run')]).toEqual(['done', 'done', true]);
  let isOver = false;
  const ended = inHand.ended().then(() => {
    isOver = true;
  });
  await soon();
  expect(isOver).toBe(false);
  first.finish('retry');
  await ended;
  expect(inHand.isSettled('run')).toBe(false);
});

test('what is left to others is settled; what nobody could be told of comes back', async () => {
  const inHand = new DeliveriesInHand();
  const [left, kept] = [delivery(), delivery({ isTaken: false })];
  const settled = [inHand.settle('left', left), inHand.settle('left', delivery())];
  const keptSettled = inHand.settle('kept', kept);
  await inHand.leave();
  expect(await Promise.all(settled)).toEqual(['done', 'done']);
  expect(await stateOf(keptSettled)).toBe('open');
  kept.finish('retry');
  expect(await keptSettled).toBe('retry');
});

test('what the work rejects with is the verdict of nobody', async () => {
  const inHand = new DeliveriesInHand();
  const broken = { ...delivery(), work: () => Promise.reject(new Error('broken')) };
  await expect(inHand.settle('run', broken)).rejects.toThrow('broken');
  expect(inHand.isSettled('run')).toBe(false);
});
