import { atLeast, atMost } from '../goals.mjs';
import { exampleFlow, upload, webhookFlow } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';
import { openLoop } from '../load/open-loop.mjs';

/** @import { OpenLoad } from '../load/open-loop.mjs' */

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const BACKLOG = 100_000;
const SYNCHRONOUS_PER_SECOND = 50;

/**
 * B9: background runs do not delay interactive runs.
 * @type {Scenario}
 */
export default {
  id: 'B9',
  title: `${BACKLOG.toLocaleString('en')} background runs drained during ${SYNCHRONOUS_PER_SECOND} interactive runs a second`,
  limit: 'the same interactive runs on the idle system',
  goal: 'p99 at most 50 ms while at least 300 background runs a second complete',
  of: "the idle system's p99",
  // The backlog is drained only once.
  rounds: 1,
  isWarmedUp: false,
  async open(benchEnvironment) {
    const system = await benchEnvironment.startSystem();
    const { endpoint } = await upload(system, exampleFlow('echo', 'bench-echo'));
    const { endpoint: webhook } = await upload(system, webhookFlow('bench-webhook'));
    const waiting = {
      url: `${system.url}/api/v1/run/${endpoint}`,
      headers: system.headers,
      body: { input_value: 'hello' },
      perSecond: SYNCHRONOUS_PER_SECOND,
    };
    await openLoop({ ...waiting, seconds: Math.min(5, benchEnvironment.seconds) });
    return {
      idle: async (seconds) => ({ ...(await openLoop({ ...waiting, seconds })), drainedPerSecond: 0 }),
      backlog: async (seconds) => {
        const [idleExecutor] = system.executors;
        await idleExecutor.stop();
        const filled = await closedLoop({
          url: `http://127.0.0.1:${system.ingestPort}/api/v1/webhook/${webhook}`,
          headers: system.headers,
          body: { text: 'three pencils' },
          connections: 64,
          amount: benchEnvironment.scaled(BACKLOG),
        });
        await system.startExecutor();
        return drain({ system, waiting, seconds, filled });
      },
    };
  },
  conclude: ({ idle, backlog }) => ({
    ratio: backlog.p99 / idle.p99,
    perSecond: backlog.drainedPerSecond,
    p50: backlog.p50,
    p99: backlog.p99,
    goals: [
      atMost('p99 of interactive runs in ms', backlog.p99, 50),
      atLeast('background runs drained per second', backlog.drainedPerSecond, 300),
    ],
  }),
};

/**
 * Measures interactive runs during the drain. A backlog that is empty before the end of the measurement is an error.
 * @param {object} options
 * @param {BenchSystem} options.system
 * @param {Omit<OpenLoad, 'seconds'>} options.waiting
 * @param {number} options.seconds
 * @param {Figures} options.filled
 */
async function drain({ system, waiting, seconds, filled }) {
  const before = await open(system);
  const started = performance.now();
  const figures = await openLoop({ ...waiting, seconds });
  const elapsed = (performance.now() - started) / 1_000;
  const after = await open(system);
  return {
    ...figures,
    backlogBefore: before,
    backlogAfter: after,
    drainedPerSecond: (before - after) / elapsed,
    errors: figures.errors + filled.errors + (after === 0 ? 1 : 0),
  };
}

/**
 * @param {BenchSystem} system
 * @returns {Promise<number>}
 */
async function open(system) {
  /** @type {{ count: number }[]} */
  const [{ count }] = await system.query(
    "SELECT count(*)::int AS count FROM runs WHERE lane = 'background' AND status IN ('accepted', 'queued', 'running')",
  );
  return count;
}
