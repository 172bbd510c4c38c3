import { atLeast } from '../goals.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const CONNECTIONS = 64;
const counts = { one: 1, two: 2, four: 4 };

/**
 * B16: the scaling of gateway processes on one port.
 * @type {Scenario}
 */
export default {
  id: 'B16',
  title: `Chat Input → Chat Output, ${CONNECTIONS} connections, 1, 2 and 4 gateway processes on one port, 2 executors`,
  limit: 'one gateway process',
  goal: 'more processes have at least the throughput of one',
  of: 'one gateway process',
  // Each process compiles its own code.
  warmUpSeconds: 20,
  async open(benchEnvironment) {
    /** @type {Record<string, Side>} */
    const sides = {};
    for (const [name, gateway] of Object.entries(counts)) {
      const system = await benchEnvironment.startSystem({ pools: { default: 2 }, workers: { gateway } });
      const { endpoint } = await upload(system, exampleFlow('echo', 'bench-echo'));
      const meter = await benchEnvironment.createMeter(system);
      const target = {
        url: `${system.url}/api/v1/run/${endpoint}`,
        headers: system.headers,
        body: { input_value: 'hello', session_id: 'bench' },
        expected: '"text":"hello"',
        connections: CONNECTIONS,
      };
      sides[name] = (seconds) => meter(() => closedLoop({ ...target, seconds }));
    }
    return sides;
  },
  conclude: ({ one, four: { perSecond, p50, p99, idleShare } }) => ({
    ratio: perSecond / one.perSecond,
    perSecond,
    p50,
    p99,
    goals: [
      atLeast(
        `four gateway processes compared with one, ${Math.round(idleShare * 100)} % of the CPU idle`,
        perSecond / one.perSecond,
        1,
      ),
    ],
  }),
};
