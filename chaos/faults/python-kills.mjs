import { setTimeout as pause } from 'node:timers/promises';
import { forkedBy, zygoteOf } from '../python/processes.mjs';
import { require, requireEnded } from './evidence.mjs';

/** @import { Fault, FaultSite } from '../fault.ts' */
/** @import { Installation } from '../installation.mjs' */

/** @typedef {NonNullable<Installation['python']>} PythonSite */

/** Every fifth kill is one of a zygote, the first of them the second kill. */
const ZYGOTE_EVERY = 5;
const ZYGOTE_FIRST = 1;
/** Longer than the pause before a kill, so that runs are in flight. */
const EFFECT_MILLISECONDS = 1_500;
const WAIT_MILLISECONDS = 120_000;

/** @type {Fault<{ readonly processes: number, readonly zygotes: number }>} */
export default {
  id: 'F21',
  title: 'Python processes and zygotes are killed',
  mustHold:
    'lost 0; doubles 0; effects repeat only in a new attempt; no Python process outlives its executor',
  needsPython: true,
  async inject(site) {
    const { python, isAlone, signal } = site;
    require(python !== undefined, 'there is no executor with Python');
    const kills = { processes: 0, zygotes: 0 };
    for (let number = 0; number < (isAlone ? 30 : 5) && !signal.aborted; number += 1) {
      for (let count = 0; count < 3; count += 1) void site.load.sendSlowPython(EFFECT_MILLISECONDS);
      await pause(site.random.integer(200, 1_200));
      const isZygote = number % ZYGOTE_EVERY === ZYGOTE_FIRST;
      await kill(python, isZygote, site);
      kills[isZygote ? 'zygotes' : 'processes'] += 1;
    }
    await within('no run in Python succeeded', () => site.load.probePython(), signal);
    return kills;
  },
  limits: ({ figures, evidence }) => [
    { what: 'dead letters', limit: 0, value: figures.deadLetters },
    {
      what: 'runs that failed because their process was killed, one at a time in each process',
      limit: 4 * evidence.zygotes + evidence.processes,
      value: figures.endedWithPython,
    },
  ],
};

/**
 * Kills a Python process of an executor, or its zygote, with which the kernel ends its processes.
 * @param {PythonSite} python
 * @param {boolean} isZygote
 * @param {FaultSite} site
 */
async function kill({ executors, bundles }, isZygote, { random, note, signal }) {
  const victim = random.pick(executors);
  /** @type {number | undefined} */
  let pid;
  await within(
    `${victim.name} has no Python process`,
    async () => {
      const zygote = zygoteOf(bundles, victim.pid);
      const forked = zygote === undefined ? [] : forkedBy(bundles, zygote);
      pid = forked.length === 0 ? undefined : isZygote ? zygote : random.pick(forked);
      return pid !== undefined;
    },
    signal,
  );
  require(pid !== undefined, 'there was no process');
  process.kill(pid, 'SIGKILL');
  await requireEnded(pid);
  note(`${isZygote ? 'the zygote' : 'a Python process'} of ${victim.name} (${pid}) was killed`);
}

/**
 * Resolves when `ask` resolves to true; rejects after two minutes.
 * @param {string} what
 * @param {() => Promise<boolean>} ask
 * @param {AbortSignal} signal
 */
async function within(what, ask, signal) {
  const end = Date.now() + WAIT_MILLISECONDS;
  while (!signal.aborted && !(await ask())) {
    require(Date.now() < end, `${what} within two minutes`);
    await pause(100);
  }
}
