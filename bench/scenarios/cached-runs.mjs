import { setTimeout as pause } from 'node:timers/promises';
import { atLeast } from '../goals.mjs';
import { modelFlow, upload } from '../flows.mjs';
import { loadedSides } from '../load/loaded-sides.mjs';

const TTL_SECONDS = 3_600;
/** For runs whose callers left when the side before was done. */
const QUIET_MILLISECONDS = 500;

/** B8: what a run was asked before is not made again. */
export default {
  id: 'B8',
  title: 'a model that takes 50 ms, in a flow whose results are cached, 16 connections',
  limit: 'the same flow without a cache',
  goal: 'at least 3 times the throughput',
  of: 'the uncached run',
  async open(surroundings) {
    const slow = await surroundings.startBare('slow-server.cjs', { needsServers: false });
    const system = await surroundings.startSystem();
    const target = async (endpoint, settings) => {
      await upload(system, modelFlow(endpoint, { url: slow.url, settings }));
      const url = `${system.url}/api/v1/run/${endpoint}`;
      const body = { input_value: endpoint, session_id: 'bench' };
      return { url, headers: system.headers, body, expected: 'answered' };
    };
    const cached = await target('bench-cached', { cache: { ttlSeconds: TTL_SECONDS } });
    const sides = loadedSides({ uncached: await target('bench-plain', {}), cached }, { connections: 16 });
    // The one run that makes the result.
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
    goals: [atLeast('throughput beside the uncached run', perSecond / uncached.perSecond, 3)],
  }),
};

/** A call that was made all the same is an error. */
async function withoutCalls(slow, measure) {
  const count = async () => (await (await fetch(`${slow.url}/count`)).json()).count;
  await pause(QUIET_MILLISECONDS);
  const before = await count();
  const figures = await measure();
  return { ...figures, errors: figures.errors + (await count()) - before };
}
