import { setTimeout as pause } from 'node:timers/promises';
import { atLeast } from '../goals.mjs';
import { upload, webhookFlow } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const depths = [0, 1_000, 10_000, 100_000];
const CONNECTIONS = 64;
const DRAIN_POLL_MILLISECONDS = 250;

/**
 * B19: the cost of accepting and executing runs while a backlog waits.
 * @type {Scenario}
 */
export default {
  id: 'B19',
  title: `webhooks accepted and drained with ${depths.map((depth) => depth.toLocaleString('en')).join(', ')} runs ahead of them`,
  limit: 'no run waiting',
  goal: 'with the largest backlog webhooks are accepted, and runs drained, at least 0.7 times as fast',
  of: 'no run waiting',
  // The backlog is filled only once.
  rounds: 1,
  isWarmedUp: false,
  async open(benchEnvironment) {
    const system = await benchEnvironment.startSystem({ pools: { default: 1 } });
    const { endpoint } = await upload(system, webhookFlow('bench-webhook'));
    const target = {
      url: `http://127.0.0.1:${system.ingestPort}/api/v1/webhook/${endpoint}`,
      headers: system.headers,
      body: { text: 'three pencils' },
      expected: 'run_id',
      connections: CONNECTIONS,
    };
    const meter = await benchEnvironment.createMeter(system);
    const [idleExecutor] = system.executors.splice(0);
    await idleExecutor.stop();
    /**
     * @param {number} depth
     * @returns {Side}
     */
    const side = (depth) => async (seconds) => {
      const missing = depth - (await waiting(system));
      const filled = missing > 0 ? await closedLoop({ ...target, amount: missing }) : { errors: 0 };
      const accepted = await meter(() => closedLoop({ ...target, seconds }));
      const executor = await system.startExecutor();
      system.executors.push(executor);
      const drained = await meter(() => drain(system, seconds));
      await executor.stop();
      system.executors.length = 0;
      const errors = accepted.errors + filled.errors;
      return { ...accepted, ...withDrainedPrefix(drained), errors };
    };
    return Object.fromEntries(
      depths.map((depth) => {
        const scaled = depth === 0 ? 0 : benchEnvironment.scaled(depth);
        return [`${depth.toLocaleString('en')} waiting`, side(scaled)];
      }),
    );
  },
  conclude(sides) {
    const all = Object.values(sides);
    const [none, longest] = [all[0], all[all.length - 1]];
    return {
      ratio: longest.perSecond / none.perSecond,
      perSecond: longest.perSecond,
      p50: longest.p50,
      p99: longest.p99,
      goals: [
        atLeast('accepted compared with no backlog', longest.perSecond / none.perSecond, 0.7),
        atLeast('drained compared with no backlog', longest.drainedPerSecond / none.drainedPerSecond, 0.7),
      ],
    };
  },
};

/**
 * Measures how fast one executor drains the backlog, for `seconds` or until it is empty.
 * @param {BenchSystem} system
 * @param {number} seconds
 */
async function drain(system, seconds) {
  const before = await waiting(system);
  const started = performance.now();
  const end = started + seconds * 1_000;
  // A check for any open run costs the database less than a count.
  while (performance.now() < end && (await isAnyWaiting(system))) await pause(DRAIN_POLL_MILLISECONDS);
  const elapsed = performance.now() - started;
  const requests = before - (await waiting(system));
  return { perSecond: (requests * 1_000) / elapsed, requests };
}

/**
 * Prefixes the figures of draining, to merge them with those of accepting: `perSecond` to `drainedPerSecond`.
 * @param {Readonly<Record<string, number>>} figures
 * @returns {Record<string, number>}
 */
function withDrainedPrefix(figures) {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [
      `drained${name[0].toUpperCase()}${name.slice(1)}`,
      value,
    ]),
  );
}

const OPEN = "status IN ('accepted', 'queued', 'running')";

/**
 * @param {BenchSystem} system
 * @returns {Promise<number>}
 */
async function waiting(system) {
  /** @type {{ count: number }[]} */
  const [{ count }] = await system.query(`SELECT count(*)::int AS count FROM runs WHERE ${OPEN}`);
  return count;
}

/** @param {BenchSystem} system */
async function isAnyWaiting(system) {
  return (await system.query(`SELECT 1 FROM runs WHERE ${OPEN} LIMIT 1`)).length > 0;
}
