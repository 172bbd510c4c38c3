import { setTimeout as pause } from 'node:timers/promises';
import { require, requireFrozen } from './evidence.mjs';

/** @import { Fault, FaultSite } from '../fault.ts' */
/** @import { Load } from '../load/load.mjs' */

/** Longer than a lease (15 s) and than three heartbeats of the broker (5 s each). */
const LONG_MILLISECONDS = 22_000;
/** Runs that are still in progress when their executor is reachable again. */
const SLOW_RUN_MILLISECONDS = 28_000;
const SLOW_RUNS = 9;

/** @type {Fault} */
export default {
  id: 'F6',
  title: 'an executor is cut off from the broker, or frozen',
  mustHold: 'lost 0; doubles 0; writes of an attempt that lost its claim are fenced',
  async inject(site) {
    const { random, isAlone } = site;
    /** @type {Readonly<Record<string, () => Promise<object>>>} */
    const kinds = {
      short: () => partition(site, 8_000),
      long: () => partition(site, LONG_MILLISECONDS),
      frozen: () => freeze(site),
    };
    /** @type {{ partitions: object[] }} */
    const evidence = { partitions: [] };
    for (const kind of isAlone ? ['short', 'long', 'frozen'] : [random.pick(['short', 'long']), 'frozen'])
      evidence.partitions.push({ kind, ...(await kinds[kind]()) });
    return evidence;
  },
  limits: () => [],
};

/**
 * @param {FaultSite} site
 * @param {number} milliseconds
 */
async function partition({ executors, load, random, note }, milliseconds) {
  const victim = random.pick(executors);
  const { broker } = victim.proxies;
  await startSlowRuns(load);
  broker.set({ isStalled: true });
  note(`${victim.name} and the broker receive nothing from each other`);
  const before = broker.counts.held;
  await pause(milliseconds);
  const held = broker.counts.held - before;
  broker.clear();
  require(held > 0, 'no data was held back');
  return { held };
}

/** @param {FaultSite} site */
async function freeze({ executors, load, random, note }) {
  const victim = random.pick(executors);
  await startSlowRuns(load);
  const pid = await victim.signal('SIGSTOP');
  try {
    await pause(200);
    requireFrozen(pid);
    note(`${victim.name} (${pid}) is frozen`);
    await pause(LONG_MILLISECONDS);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  return { pid };
}

/** @param {Load} load */
async function startSlowRuns(load) {
  await Promise.all(Array.from({ length: SLOW_RUNS }, () => load.sendSlowWebhook(SLOW_RUN_MILLISECONDS)));
  await pause(1_000);
}
