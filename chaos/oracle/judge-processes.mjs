/** @import { Observer, Usage } from '../observer.mjs' */
/** @import { AtBroker, Invariant, Seen, Times } from './judge.mjs' */

const MEBIBYTE = 1024 * 1024;
/** The event loop delay is checked at p99. */
const LATE_PERCENT = 1;
/** With fewer samples, a single one would decide. */
const MINIMUM_SAMPLES = 100;
/** @type {Readonly<Record<string, Usage>>} */
const CEILINGS = {
  gateway: { residentBytes: 250 * MEBIBYTE, files: 200 },
  ingest: { residentBytes: 250 * MEBIBYTE, files: 200 },
  executor: { residentBytes: 400 * MEBIBYTE, files: 200 },
};

/**
 * Checks the invariants of processes: resources, logs, connections, event loops.
 * @param {Seen} seen
 * @returns {Invariant[]}
 */
export function judgeProcesses({ logs, observer, atBroker, injections }) {
  return [
    { id: 'I6', promise: 'no error is unhandled', found: logs.unhandled },
    { id: 'I7', promise: 'memory and files stay below their ceilings', found: overCeilings(observer) },
    {
      id: 'I7',
      promise: 'the broker has as many connections and channels as before',
      found: leaks(atBroker),
    },
    {
      id: 'I8',
      promise: 'the event loop of a gateway is late by ≤ 100 ms (p99) outside of faults',
      found: lateEventLoops(observer, injections),
      isTiming: true,
    },
    {
      id: 'I9',
      promise: 'no log contains a secret',
      found: logs.leaks.map(({ canary, line }) => `${canary} in: ${line}`),
    },
  ];
}

/** @param {Observer} observer */
function overCeilings({ peaks }) {
  /** @type {string[]} */
  const found = [];
  for (const [name, peak] of peaks)
    for (const what of /** @type {const} */ (['residentBytes', 'files'])) {
      const limit = CEILINGS[name.split('-')[0]][what];
      if (peak[what] > limit) found.push(`${name} had ${what} of ${peak[what]}, more than ${limit}`);
    }
  return found;
}

/**
 * @param {Observer} observer
 * @param {readonly Times[]} injections
 */
function lateEventLoops({ eventLoops }, injections) {
  return Object.entries(eventLoops.outside(injections))
    .filter(([, { samples, latePercent }]) => samples >= MINIMUM_SAMPLES && latePercent > LATE_PERCENT)
    .map(([name, { samples, latePercent }]) => `${name} was late in ${latePercent} % of ${samples} samples`);
}

/** @param {{ readonly before: AtBroker, readonly after: AtBroker }} atBroker */
function leaks({ before, after }) {
  return /** @type {const} */ (['connections', 'channels'])
    .filter((what) => before[what] !== after[what])
    .map((what) => `${before[what]} ${what} before, ${after[what]} after`);
}
