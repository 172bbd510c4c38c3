import { atLeast } from '../goals.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';
import { addUser } from '../users.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const counts = [1, 10, 100, 1_000];
const CONNECTIONS = 64;
const PARALLEL_CALLS = 16;

/**
 * B20: users with their own key and flow, whose requests alternate.
 * @type {Scenario}
 */
export default {
  id: 'B20',
  title: `Chat Input → Chat Output, ${CONNECTIONS} connections, ${counts.map((count) => count.toLocaleString('en')).join(', ')} users with a flow each`,
  limit: 'one user and one flow',
  goal: 'a thousand users get at least 0.7 of the throughput of one',
  of: 'one user',
  async open(benchEnvironment) {
    const system = await benchEnvironment.startSystem();
    const meter = await benchEnvironment.createMeter(system);
    const tenants = await addTenants(system, benchEnvironment.scaled(Math.max(...counts)));
    return Object.fromEntries(
      counts.map((count) => {
        const requests = tenants.slice(0, count).map(({ endpoint, headers }) => ({
          path: `/api/v1/run/${endpoint}`,
          headers: { 'content-type': 'application/json', ...headers },
        }));
        const target = {
          url: system.url,
          body: { input_value: 'hello' },
          expected: '"text":"hello"',
          connections: CONNECTIONS,
          requests,
        };
        return [
          `${count.toLocaleString('en')} users`,
          (seconds) => meter(() => closedLoop({ ...target, seconds })),
        ];
      }),
    );
  },
  conclude(sides) {
    const all = Object.values(sides);
    const { perSecond, p50, p99 } = all[all.length - 1];
    const ratio = perSecond / all[0].perSecond;
    return { ratio, perSecond, p50, p99, goals: [atLeast('throughput compared with one user', ratio, 0.7)] };
  },
};

/**
 * @param {BenchSystem} system
 * @param {number} count
 */
async function addTenants(system, count) {
  /** @type {{ endpoint: string, headers: Readonly<Record<string, string>> }[]} */
  const tenants = [];
  let next = 0;
  const add = async () => {
    while (next < count) {
      const name = `bench-${(next += 1)}`;
      const user = await addUser(system, name);
      const { endpoint } = await upload(user, exampleFlow('echo', name));
      tenants.push({ endpoint, headers: user.headers });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_CALLS }, add));
  return tenants;
}
