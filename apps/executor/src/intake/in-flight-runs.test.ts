import type { Verdict } from '@millrace/messaging';
import { InFlightRuns } from './in-flight-runs';
import type { RunWork, Settlement } from './in-flight-runs';

/** A delivery whose run starts and ends under the control of the test. */
function delivery({ runId = 'run', isNearDeliveryLimit = false, isHandedOff = true } = {}) {
  let finish: (verdict: Verdict) => void = () => undefined;
  let begun: Settlement | null = null;
  let starts = 0;
  return {
    job: { runId },
    isNearDeliveryLimit,
    isHandedOff,
    begin: (settlement: Settlement) => {
      starts += 1;
      begun = settlement;
      return new Promise<Verdict>((resolve) => {
        finish = resolve;
      });
    },
    claim: () => begun?.onClaimed(),
    endWithoutRow: () => begun?.endWithoutRow(),
    hold: (until: Promise<unknown>) => begun?.holdUntil(until),
    finish: (verdict: Verdict) => finish(verdict),
    get isSettled() {
      return begun?.isSettled;
    },
    get starts() {
      return starts;
    },
  };
}

const work: RunWork<ReturnType<typeof delivery>> = {
  run: (delivered, settlement) => delivered.begin(settlement),
  handOff: async ({ isHandedOff }) => isHandedOff,
};

const soon = () => new Promise((resolve) => setImmediate(resolve));
const stateOf = async (settled: Promise<Verdict>) => Promise.race([settled, soon().then(() => 'open')]);

test('deliveries of one run execute it once and are settled alike', async () => {
  const inFlight = new InFlightRuns(work);
  const [first, second] = [delivery(), delivery()];
  const settled = [inFlight.settle(first), inFlight.settle(second)];
  first.claim();
  expect(await stateOf(settled[1]!)).toBe('open');
  first.finish('retry');
  expect(await Promise.all(settled)).toEqual(['retry', 'retry']);
  expect([first.starts, second.starts]).toEqual([1, 0]);
  void inFlight.settle(second);
  expect(second.starts).toBe(1);
});

test('a message near the delivery limit is settled when the run is claimed, and not before', async () => {
  const inFlight = new InFlightRuns(work);
  const first = delivery();
  const settled = inFlight.settle(first);
  const nearLimit = inFlight.settle(delivery({ isNearDeliveryLimit: true }));
  expect([await stateOf(settled), await stateOf(nearLimit), first.isSettled]).toEqual([
    'open',
    'open',
    false,
  ]);
  first.claim();
  expect([await settled, await nearLimit, first.isSettled]).toEqual(['done', 'done', true]);
  let isOver = false;
  const finished = inFlight.finished().then(() => {
    isOver = true;
  });
  await soon();
  expect(isOver).toBe(false);
  first.finish('retry');
  await finished;
  expect(inFlight.has('run')).toBe(false);
});

test('a run that is held stays in flight after its verdict, and another delivery does not execute it again', async () => {
  const inFlight = new InFlightRuns(work);
  const first = delivery();
  let release: () => void = () => undefined;
  const settled = inFlight.settle(first);
  first.hold(
    new Promise<void>((resolve) => {
      release = resolve;
    }),
  );
  first.finish('done');
  expect(await settled).toBe('done');
  const second = delivery();
  expect([inFlight.has('run'), await inFlight.settle(second), second.starts]).toEqual([true, 'done', 0]);
  release();
  await soon();
  expect(inFlight.has('run')).toBe(false);
});

test('a run that ended without a row is not executed by another delivery', async () => {
  const inFlight = new InFlightRuns(work);
  const first = delivery();
  const settled = inFlight.settle(first);
  first.endWithoutRow();
  first.finish('done');
  await settled;
  const second = delivery();
  expect([inFlight.has('run'), await inFlight.settle(second), second.starts]).toEqual([true, 'done', 0]);
});

test('a handed-off run is settled; a run whose hand-off fails is not', async () => {
  const inFlight = new InFlightRuns(work);
  const [left, kept] = [delivery({ runId: 'left' }), delivery({ runId: 'kept', isHandedOff: false })];
  const settled = [inFlight.settle(left), inFlight.settle(delivery({ runId: 'left' }))];
  const keptSettled = inFlight.settle(kept);
  await inFlight.handOff();
  expect(await Promise.all(settled)).toEqual(['done', 'done']);
  expect(await stateOf(keptSettled)).toBe('open');
  kept.finish('retry');
  expect(await keptSettled).toBe('retry');
});

test('an error of the work rejects the settlement', async () => {
  const inFlight = new InFlightRuns(work);
  const broken = { ...delivery(), begin: () => Promise.reject(new Error('broken')) };
  await expect(inFlight.settle(broken)).rejects.toThrow('broken');
  expect(inFlight.has('run')).toBe(false);
});
