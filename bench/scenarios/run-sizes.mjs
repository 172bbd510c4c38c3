import { atLeast } from '../goals.mjs';
import { exampleFlow, pureFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

const CONNECTIONS = 8;
const payloads = { '1 kB': 1_000, '10 kB': 10_000, '100 kB': 100_000, '1 MB': 1_000_000 };
const vertexCounts = [2, 20, 100];

/** B17: what a longer message costs; it goes in and comes out. */
export const payloadSizes = {
  id: 'B17',
  title: `Chat Input → Chat Output, messages of 1 kB, 10 kB, 100 kB and 1 MB, ${CONNECTIONS} connections`,
  limit: 'messages of 1 kB',
  goal: 'a thousand times the message costs at most a thousand times the time',
  of: 'runs of 1 kB',
  async open(surroundings) {
    const system = await surroundings.startSystem();
    const { endpoint } = await upload(system, exampleFlow('echo', 'bench-echo'));
    const sides = Object.entries(payloads).map(([name, size]) => [name, endpoint, 'x'.repeat(size)]);
    return openSides(surroundings, system, sides);
  },
  conclude: (sides) => compare('throughput at 1 MB beside that at 1 kB', sides['1 kB'], sides['1 MB'], 0.001),
};

/** B18: what more vertices cost. */
export const vertices = {
  id: 'B18',
  title: `flows of ${vertexCounts.join(', ')} vertices of pure components, ${CONNECTIONS} connections`,
  limit: 'two vertices',
  goal: 'fifty times the vertices cost at most fifty times the time',
  of: 'runs of two vertices',
  async open(surroundings) {
    const system = await surroundings.startSystem();
    const sides = [];
    for (const count of vertexCounts) {
      const flow = { ...pureFlow(count), endpoint_name: `bench-${count}` };
      sides.push([`${count} vertices`, (await upload(system, flow)).endpoint, 'hello']);
    }
    return openSides(surroundings, system, sides);
  },
  conclude: (sides) =>
    compare('throughput of 100 vertices beside that of 2', sides['2 vertices'], sides['100 vertices'], 0.02),
};

async function openSides(surroundings, system, sides) {
  const meter = await surroundings.createMeter(system);
  return Object.fromEntries(
    sides.map(([name, endpoint, text]) => {
      const target = {
        url: `${system.url}/api/v1/run/${endpoint}`,
        headers: system.headers,
        body: { input_value: text, session_id: `bench-${name}` },
        expected: text.slice(0, 100),
        connections: CONNECTIONS,
      };
      return [name, (seconds) => meter(() => closedLoop({ ...target, seconds }))];
    }),
  );
}

function compare(what, small, { perSecond, p50, p99 }, share) {
  const ratio = perSecond / small.perSecond;
  return { ratio, perSecond, p50, p99, goals: [atLeast(what, ratio, share)] };
}
