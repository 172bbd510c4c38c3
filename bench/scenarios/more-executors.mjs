import { atLeast } from '../goals.mjs';
import { callingFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

const CONCURRENCY = 8;
const pools = { one: 1, two: 2, four: 4, eight: 8 };

/** B6: executors work side by side. */
export default {
  id: 'B6',
  title: `a call of 50 ms, ${CONCURRENCY} runs at a time per executor, 1, 2, 4 and 8 executors`,
  limit: `${CONCURRENCY} callers of that service alone, times the executors`,
  goal: 'four executors do at least 0.9 of four times what one does, while CPU remains',
  of: 'the ideal line',
  // Each process compiles for itself, and has few runs to learn from.
  warmUpSeconds: 20,
  async open(surroundings) {
    const slow = await surroundings.startBare('slow-server.cjs', { needsServers: false });
    const system = await surroundings.startSystem({ pools, concurrency: CONCURRENCY });
    const meter = await surroundings.createMeter(system);
    const sides = {
      limit: (seconds) =>
        closedLoop({ url: `${slow.url}/direct`, body: {}, seconds, connections: CONCURRENCY }),
    };
    for (const [pool, executors] of Object.entries(pools)) {
      const { endpoint } = await upload(
        system,
        callingFlow(`bench-${pool}`, { url: slow.url, settings: { pool } }),
      );
      // One caller more than there are slots keeps them all taken.
      const connections = executors * (CONCURRENCY + 1);
      const target = {
        url: `${system.url}/api/v1/run/${endpoint}`,
        headers: system.headers,
        body: { input_value: 'call' },
        expected: 'answered',
        connections,
      };
      sides[pool] = (seconds) => meter(() => closedLoop({ ...target, seconds }));
    }
    return sides;
  },
  conclude: ({ limit, one, four: { perSecond, p50, p99, idleShare } }) => ({
    ratio: perSecond / (limit.perSecond * pools.four),
    perSecond,
    p50,
    p99,
    goals: [
      atLeast(
        `four executors beside four times one, ${Math.round(idleShare * 100)} % of the CPU idle`,
        perSecond / (one.perSecond * pools.four),
        0.9,
      ),
    ],
  }),
};
