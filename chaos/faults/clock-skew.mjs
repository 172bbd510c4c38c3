import { setTimeout as pause } from 'node:timers/promises';
import { clockSkewOf } from '../read-clock-skew.mjs';
import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */

const SHIFT_SECONDS = 600;
const DEVIATION_SECONDS = 5;
const RUN_MILLISECONDS = 2_000;

/** @type {Fault} */
export default {
  id: 'F19',
  title: 'clocks of executors are ten minutes ahead and ten minutes behind',
  mustHold: 'no run times out; no caller is refused; no effect is repeated',
  async inject({ executors, load, note, signal, isAlone }) {
    const [ahead, behind] = executors;
    /** @type {{ skewSeconds: Record<string, number> }} */
    const evidence = { skewSeconds: {} };
    for (const { executor, sign } of [
      { executor: ahead, sign: 1 },
      { executor: behind, sign: -1 },
    ]) {
      executor.setClockShift(sign * SHIFT_SECONDS * 1_000);
      await executor.terminate();
      await executor.up();
      const seconds = await clockSkewOf(executor);
      require(seconds !== null &&
        Math.abs(seconds - sign * SHIFT_SECONDS) <
          DEVIATION_SECONDS, `the clock of ${executor.name} differs by ${seconds} s`);
      evidence.skewSeconds[executor.name] = seconds;
      note(`the clock of ${executor.name} is ${seconds} s ahead`);
    }
    const end = Date.now() + (isAlone ? 60_000 : 10_000);
    while (Date.now() < end && !signal.aborted) {
      void load.sendSlowRun(RUN_MILLISECONDS);
      void load.sendSlowWebhook(RUN_MILLISECONDS);
      await pause(1_000);
    }
    for (const executor of [ahead, behind]) {
      executor.setClockShift(0);
      await executor.terminate();
      await executor.up();
    }
    return evidence;
  },
  limits: ({ figures }) => [
    { what: 'failures seen by callers', limit: 0, value: figures.serverErrors + figures.broken },
    { what: 'runs that timed out', limit: 0, value: timedOut(figures.ends) },
    { what: 'effects repeated', limit: 0, value: figures.sinkDuplicates },
  ],
};

/** @param {Readonly<Record<string, number>>} ends */
function timedOut(ends) {
  return Object.entries(ends)
    .filter(([name]) => name.endsWith(' timed_out'))
    .reduce((sum, [, count]) => sum + count, 0);
}
