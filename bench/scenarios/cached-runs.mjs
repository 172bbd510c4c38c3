import { setTimeout as pause } from 'node:timers/promises';
import { atLeast } from '../goals.mjs';
import { modelFlow, upload } from '../flows.mjs';
import { httpSides } from '../load/http-sides.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const TTL_SECONDS = 3_600;
/** The time for runs whose callers disconnected at the end of the side before. */
const QUIET_MILLISECONDS = 500;

/**
 * B8: a cached result is not calculated again.
 * @type {Scenario}
 */
export default {
  id: 'B8',
  title: 'a model that takes 50 ms, in a flow whose results are cached, 16 connections',
  limit: 'the same flow without a cache',
  goal: 'at least 3 times the throughput',
  of: 'the uncached run',
  async open(benchEnvironment) {
    const slow = await benchEnvironment.startBare('slow-server.cjs', { needsServers: false });
    const system = await benchEnvironment.startSystem();
    /**
     * @param {string} endpoint
     * @param {object} settings
     */
    const target = async (endpoint, settings) => {
      await upload(system, modelFlow(endpoint, { url: slow.url, settings }));
      const url = `${system.url}/api/v1/run/${endpoint}`;
      const body = { input_value: endpoint, session_id: 'bench' };
      return { url, headers: system.headers, body, expected: 'answered' };
    };
    const cached = await target('bench-cached', { cache: { ttlSeconds: TTL_SECONDS } });
    const sides = httpSides({ uncached: await target('bench-plain', {}), cached }, { connections: 16 });
    // One run that fills the cache.
    await fetch(cached.url, {
      method: 'POST',
      headers: { ...cached.headers, 'content-type': 'application/json' },
      body: JSON.stringify(cached.body),
    });
    return { ...sides, cached: (seconds) => withoutCalls(slow, () => sides.cached(seconds)) };
  },
  conclude: ({ uncached, cached: { perSecond, p50, p99 } }) => ({
    ratio: perSecond / uncached.perSecond,
    perSecond,
    p50,
    p99,
    goals: [atLeast('throughput compared with the uncached run', perSecond / uncached.perSecond, 3)],
  }),
};

/**
 * Measures a side; each call to the model is an error.
 * @param {{ readonly url: string }} slow
 * @param {() => Promise<Figures>} measure
 */
async function withoutCalls(slow, measure) {
  /** @returns {Promise<number>} */
  const count = async () => {
    const answer = await fetch(`${slow.url}/count`);
    return /** @type {{ count: number }} */ (await answer.json()).count;
  };
  await pause(QUIET_MILLISECONDS);
  const before = await count();
  const figures = await measure();
  return { ...figures, errors: figures.errors + (await count()) - before };
}
