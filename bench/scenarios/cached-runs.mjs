import { atLeast } from '../goals.mjs';
import { callingFlow, upload } from '../flows.mjs';
import { loadedSides } from '../load/loaded-sides.mjs';

/** B8: what a vertex gave before is not made again. */
export default {
  id: 'B8',
  title: 'a call of 50 ms whose vertex is frozen, 16 connections',
  limit: 'the same flow, its vertex not frozen',
  goal: 'at least 3 times the throughput',
  of: 'the uncached run',
  async open(surroundings) {
    const slow = await surroundings.startBare('slow-server.cjs', { needsServers: false });
    const system = await surroundings.startSystem();
    const target = async (endpoint, isFrozen) => {
      await upload(system, callingFlow(endpoint, { url: slow.url, isFrozen }));
      const url = `${system.url}/api/v1/run/${endpoint}`;
      const body = { input_value: endpoint, session_id: 'bench' };
      return { url, headers: system.headers, body, expected: 'answered' };
    };
    const frozen = await target('bench-frozen', true);
    const sides = loadedSides(
      { uncached: await target('bench-plain', false), cached: frozen },
      { connections: 16 },
    );
    // Callers who come at once before there is a result all make it.
    await fetch(frozen.url, {
      method: 'POST',
      headers: { ...frozen.headers, 'content-type': 'application/json' },
      body: JSON.stringify(frozen.body),
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
  const before = await count();
  const figures = await measure();
  return { ...figures, errors: figures.errors + (await count()) - before };
}
