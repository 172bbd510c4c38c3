import { atLeast } from '../goals.mjs';
import { callingFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const CONCURRENCY = 8;
const pools = { one: 1, two: 2, four: 4, eight: 8 };

/**
 * B6: the scaling of executors.
 * @type {Scenario}
 */
export default {
  id: 'B6',
  title: `a call of 50 ms, ${CONCURRENCY} runs at a time per executor, 1, 2, 4 and 8 executors`,
  limit: `${CONCURRENCY} callers of that service alone, times the number of executors`,
  goal: 'four executors reach at least 0.9 of four times the throughput of one, while CPU is left',
  of: 'linear scaling',
  // Each process compiles its own code, and gets few runs to do so.
  warmUpSeconds: 20,
  async open(benchEnvironment) {
    const slow = await benchEnvironment.startBare('slow-server.cjs', { needsServers: false });
    const system = await benchEnvironment.startSystem({ pools, concurrency: CONCURRENCY });
    const meter = await benchEnvironment.createMeter(system);
    /** @type {Record<string, Side>} */
    const sides = {
      limit: (seconds) =>
        closedLoop({ url: `${slow.url}/direct`, body: {}, seconds, connections: CONCURRENCY }),
    };
    for (const [pool, executors] of Object.entries(pools)) {
      const { endpoint } = await upload(
        system,
        callingFlow(`bench-${pool}`, { url: slow.url, settings: { pool } }),
      );
      // One more caller per executor than slots keeps all slots in use.
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
        `four executors compared with four times one, ${Math.round(idleShare * 100)} % of the CPU idle`,
        perSecond / (one.perSecond * pools.four),
        0.9,
      ),
    ],
  }),
};
