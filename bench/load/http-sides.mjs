import { closedLoop } from './closed-loop.mjs';
import { openLoop } from './open-loop.mjs';

/** @import { Figures, LoadSize, Side } from '../scenario.ts' */

/**
 * @typedef {object} Target
 * @property {string} url
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {unknown} body
 * @property {string} expected
 * @property {(accepted: number, startedAt: number) => Promise<{ readonly errors: number }>} [settle]
 */

/** The arrival rate as a share of the throughput of the slowest side, so that no side queues requests for long. */
const ARRIVAL_SHARE = 0.5;

/**
 * Returns the sides of a scenario that are measured over HTTP. `targets` are by name { url, headers, body, expected,
 * settle }. Throughput is measured in a closed loop, latency in an open loop whose arrival rate is the same for all sides:
 * half of the throughput of the slowest side during warm-up. `settle(accepted, startedAt)` waits for work that continues
 * after the answers and resolves to further figures, including errors. Each side also has `throughput({ seconds, amount })`
 * and `warmUp(seconds)`, which run only the closed loop.
 * @param {Readonly<Record<string, Target>>} targets
 * @param {{ readonly connections: number }} options
 * @returns {Record<string, Side>}
 */
export function httpSides(targets, { connections }) {
  /** @type {Record<string, number>} */
  const warmedUp = {};
  /**
   * @param {Target} target
   * @param {LoadSize} size
   */
  const throughput = async (target, size) => {
    const startedAt = performance.now();
    const closed = await closedLoop({ ...target, connections, ...size });
    return { startedAt, closed, settled: await settle(target, closed, startedAt) };
  };
  /**
   * @param {string} name
   * @param {Target} target
   * @returns {(seconds: number) => Promise<Figures>}
   */
  const measure = (name, target) => async (seconds) => {
    const { startedAt, closed, settled } = await throughput(target, { seconds });
    warmedUp[name] ??= closed.perSecond;
    const arrivalsPerSecond = Math.max(1, ARRIVAL_SHARE * Math.min(...Object.values(warmedUp)));
    const open = await openLoop({ ...target, connections, perSecond: arrivalsPerSecond, seconds });
    const settledAgain = await settle(target, open, startedAt);
    return {
      perSecond: closed.perSecond,
      p50: open.p50,
      p99: open.p99,
      worst: open.worst,
      closedP50: closed.p50,
      closedP99: closed.p99,
      arrivalsPerSecond,
      ...settled,
      ...(closed.problems === undefined ? {} : { problems: closed.problems }),
      errors: closed.errors + open.errors + settled.errors + settledAgain.errors,
      requests: closed.requests + open.requests,
    };
  };
  /**
   * @param {string} name
   * @param {Target} target
   * @returns {Side}
   */
  const side = (name, target) =>
    Object.assign(measure(name, target), {
      warmUp: async (/** @type {number} */ seconds) => {
        const { closed, settled } = await throughput(target, { seconds });
        warmedUp[name] = closed.perSecond;
        return { ...closed, errors: closed.errors + settled.errors };
      },
      throughput: async (/** @type {LoadSize} */ size) => {
        const { closed, settled } = await throughput(target, size);
        return { ...closed, ...settled, errors: closed.errors + settled.errors };
      },
    });
  return Object.fromEntries(Object.entries(targets).map(([name, target]) => [name, side(name, target)]));
}

/**
 * @param {Target} target
 * @param {{ readonly requests: number, readonly errors: number }} figures
 * @param {number} startedAt
 */
async function settle(target, { requests, errors }, startedAt) {
  return (await target.settle?.(requests - errors, startedAt)) ?? { errors: 0 };
}
