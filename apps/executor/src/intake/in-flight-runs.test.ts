import type { Verdict } from '@millrace/messaging';
import { InFlightRuns } from './in-flight-runs';

/** A delivery whose run starts and ends under the control of the test. */
function delivery({ isNearDeliveryLimit = false, isHandedOff = true } = {}) {
  let finish: (verdict: Verdict) => void = () => undefined;
  let claim: () => void = () => undefined;
  let begun = 0;
  return {
    isNearDeliveryLimit,
    work: (onClaimed: () => void) => {
      begun += 1;
      claim = onClaimed;
      return new Promise<Verdict>((resolve) => {
        finish = resolve;
      });
    },
    handOff: () => Promise.resolve(isHandedOff),
    claim: () => claim(),
    finish: (verdict: Verdict) => finish(verdict),
    get begun() {
      return begun;
    },
  };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));
const stateOf = async (settled: Promise<Verdict>) => Promise.race([settled, soon().then(() => 'open')]);

test('deliveries of one run execute it once and are settled alike', async () => {
  const inFlight = new InFlightRuns();
  const [first, second] = [delivery(), delivery()];
  const settled = [inFlight.settle('run', first), inFlight.settle('run', second)];
  first.claim();
  expect(await stateOf(settled[1]!)).toBe('open');
  first.finish('retry');
  expect(await Promise.all(settled)).toEqual(['retry', 'retry']);
  expect([first.begun, second.begun]).toEqual([1, 0]);
  void inFlight.settle('run', second);
  expect(second.begun).toBe(1);
});

test('a message near the delivery limit is settled when the run is claimed, and not before', async () => {
  const inFlight = new InFlightRuns();
  const first = delivery();
  const settled = inFlight.settle('run', first);
  const nearLimit = inFlight.settle('run', delivery({ isNearDeliveryLimit: true }));
  expect([await stateOf(settled), await stateOf(nearLimit), inFlight.isSettled('run')]).toEqual([
    'open',
    'open',
    false,
  ]);
  first.claim();
  expect([await settled, await nearLimit, inFlight.isSettled('run')]).toEqual(['done', 'done', true]);
  let isOver = false;
  const ended = inFlight.ended().then(() => {
    isOver = true;
  });
  await soon();
  expect(isOver).toBe(false);
  first.finish('retry');
  await ended;
  expect(inFlight.isSettled('run')).toBe(false);
});

test('a handed-off run is settled; a run whose hand-off fails is not', async () => {
  const inFlight = new InFlightRuns();
  const [left, kept] = [delivery(), delivery({ isHandedOff: false })];
  const settled = [inFlight.settle('left', left), inFlight.settle('left', delivery())];
  const keptSettled = inFlight.settle('kept', kept);
  await inFlight.handOff();
  expect(await Promise.all(settled)).toEqual(['done', 'done']);
  expect(await stateOf(keptSettled)).toBe('open');
  kept.finish('retry');
  expect(await keptSettled).toBe('retry');
});

test('an error of the work rejects the settlement', async () => {
  const inFlight = new InFlightRuns();
  const broken = { ...delivery(), work: () => Promise.reject(new Error('broken')) };
  await expect(inFlight.settle('run', broken)).rejects.toThrow('broken');
  expect(inFlight.isSettled('run')).toBe(false);
});
