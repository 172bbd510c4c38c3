import { atMost } from '../goals.mjs';
import { webhookFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';
import { openLoop } from '../load/open-loop.mjs';
import { quantile } from '../rounds.mjs';
import { addUser } from '../users.mjs';

/** @import { Account } from '../flows.mjs' */
/** @typedef {{ readonly requests: number, readonly errors: number }} Accepted */

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const FLOOD = 10_000;
const FLOOD_CONNECTIONS = 64;
const PER_SECOND = 5;
const ESTABLISHING_SECONDS = 1;
const GOAL_MILLISECONDS = 5_000;
const DRAINED_WITHIN_MILLISECONDS = 120_000;

/**
 * B12: a user with very many background runs does not delay the background runs of another user.
 * @type {Scenario}
 */
export default {
  id: 'B12',
  title: `${FLOOD.toLocaleString('en')} background runs of one user in a burst, ${PER_SECOND} a second of another; two executors, a call of 50 ms in each run`,
  limit: 'the other user alone',
  goal: "p99 of the other user's queue time, from accepted to started, at most 5 s",
  of: "the other user's p99 alone",
  // The burst cannot be repeated in the same system.
  rounds: 1,
  isWarmedUp: false,
  async open(benchEnvironment) {
    const slow = await benchEnvironment.startBare('slow-server.cjs', { needsServers: false });
    const system = await benchEnvironment.startSystem({ pools: { default: 2 } });
    const [flooding, other] = [await addUser(system, 'flooding'), await addUser(system, 'other')];
    /**
     * @param {Account} user
     * @param {string} name
     */
    const hook = async (user, name) => {
      const { endpoint } = await upload(user, webhookFlow(name, { call: slow.url }));
      const url = `http://127.0.0.1:${system.ingestPort}/api/v1/webhook/${endpoint}`;
      return { url, headers: user.headers, body: { text: 'three-pencils' } };
    };
    const flood = await hook(flooding, 'bench-flood');
    const quiet = await hook(other, 'bench-quiet');
    /** @param {number} seconds */
    const measure = async (seconds) => {
      const since = await now(system);
      const accepted = await openLoop({ ...quiet, perSecond: PER_SECOND, seconds });
      return { accepted, since };
    };
    return {
      alone: async (seconds) => {
        const { accepted, since } = await measure(seconds);
        return waits(system, other, since, accepted);
      },
      underLoad: async (seconds) => {
        const amount = benchEnvironment.scaled(FLOOD);
        const flooded = closedLoop({ ...flood, connections: FLOOD_CONNECTIONS, amount });
        await new Promise((resolve) => setTimeout(resolve, ESTABLISHING_SECONDS * 1_000));
        const { accepted, since } = await measure(seconds);
        const { perSecond, errors } = await flooded;
        const leftOfFlood = await openRuns(system, flooding);
        const figures = await waits(system, other, since, accepted);
        return { ...figures, floodPerSecond: perSecond, leftOfFlood, errors: figures.errors + errors };
      },
    };
  },
  conclude: ({ alone, underLoad }) => ({
    ratio: underLoad.p99 / alone.p99,
    perSecond: PER_SECOND,
    p50: underLoad.p50,
    p99: underLoad.p99,
    goals: [
      atMost("p99 of the other user's queue time in ms", underLoad.p99, GOAL_MILLISECONDS),
      atMost('runs lost or refused', underLoad.errors, 0),
    ],
  }),
};

/**
 * Resolves to how long the user's runs waited for their first attempt, by the database's clock.
 * @param {BenchSystem} system
 * @param {{ readonly id: string }} user
 * @param {Date} since
 * @param {Accepted} accepted
 */
async function waits(system, user, since, { requests, errors }) {
  const giveUpAt = performance.now() + DRAINED_WITHIN_MILLISECONDS;
  while ((await openRuns(system, user)) > 0 && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, 100));
  /** @type {{ waited: number }[]} */
  const rows = await system.query(
    `SELECT extract(epoch FROM started_at - accepted_at)::float8 * 1000 AS waited FROM runs
     WHERE user_id = $1 AND accepted_at >= $2 AND status = 'succeeded' ORDER BY waited`,
    [user.id, since],
  );
  const waited = rows.map((row) => row.waited);
  return {
    p50: quantile(waited, 0.5),
    p99: quantile(waited, 0.99),
    worst: quantile(waited, 1),
    errors: errors + (requests - errors - waited.length),
    requests,
  };
}

/**
 * @param {BenchSystem} system
 * @param {{ readonly id: string }} user
 * @returns {Promise<number>}
 */
async function openRuns(system, { id }) {
  /** @type {{ count: number }[]} */
  const [{ count }] = await system.query(
    "SELECT count(*)::int AS count FROM runs WHERE user_id = $1 AND status IN ('accepted', 'queued', 'running')",
    [id],
  );
  return count;
}

/**
 * @param {BenchSystem} system
 * @returns {Promise<Date>}
 */
async function now(system) {
  /** @type {{ now: Date }[]} */
  const [row] = await system.query('SELECT now() AS now');
  return row.now;
}
