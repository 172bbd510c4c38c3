import { atLeast, atMost } from '../goals.mjs';
import { exampleFlow, pureFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

/** @import { LoadSize, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const CONNECTIONS = 8;
const payloads = { '1 kB': 1_000, '10 kB': 10_000, '100 kB': 100_000, '1 MB': 1_000_000 };
const maximumMilliseconds = { '10 kB': 1.2, '100 kB': 4, '1 MB': 40 };
const vertexCounts = [2, 20, 100];

/**
 * B17: the cost of long messages, which are both input and output.
 * @type {Scenario}
 */
export const payloadSizes = {
  id: 'B17',
  title: `Chat Input → Chat Output, messages of 1 kB, 10 kB, 100 kB and 1 MB, ${CONNECTIONS} connections`,
  limit: 'messages of 1 kB',
  goal: 'a message of 1,000 times the size takes at most 1,000 times as long; CPU time of 10 kB ≤ 1.2 ms, 100 kB ≤ 4, 1 MB ≤ 40',
  of: 'runs of 1 kB',
  async open(benchEnvironment) {
    const system = await benchEnvironment.startSystem();
    const { endpoint } = await upload(system, exampleFlow('echo', 'bench-echo'));
    /** @type {[string, string, string][]} */
    const sides = Object.entries(payloads).map(([name, size]) => [name, endpoint, 'x'.repeat(size)]);
    return openSides(benchEnvironment, system, sides);
  },
  conclude: (sides) => {
    const compared = compare('throughput at 1 MB compared with 1 kB', sides['1 kB'], sides['1 MB'], 0.001);
    const costs = Object.entries(maximumMilliseconds).map(([name, maximum]) =>
      atMost(`CPU time of a run of ${name} in ms`, cpuMilliseconds(sides[name]), maximum),
    );
    return { ...compared, goals: [...compared.goals, ...costs] };
  },
};

/**
 * B18: the cost of vertices.
 * @type {Scenario}
 */
export const vertices = {
  id: 'B18',
  title: `flows of ${vertexCounts.join(', ')} vertices of pure components, ${CONNECTIONS} connections`,
  limit: 'two vertices',
  goal: '50 times the vertices take at most 50 times as long',
  of: 'runs of two vertices',
  async open(benchEnvironment) {
    const system = await benchEnvironment.startSystem();
    /** @type {[string, string, string][]} */
    const sides = [];
    for (const count of vertexCounts) {
      const flow = { ...pureFlow(count), endpoint_name: `bench-${count}` };
      sides.push([`${count} vertices`, (await upload(system, flow)).endpoint, 'hello']);
    }
    return openSides(benchEnvironment, system, sides);
  },
  conclude: (sides) =>
    compare('throughput of 100 vertices compared with 2', sides['2 vertices'], sides['100 vertices'], 0.02),
};

/**
 * @param {BenchEnvironment} benchEnvironment
 * @param {BenchSystem} system
 * @param {readonly (readonly [name: string, endpoint: string, text: string])[]} sides
 * @returns {Promise<Record<string, Side>>}
 */
async function openSides(benchEnvironment, system, sides) {
  const meter = await benchEnvironment.createMeter(system);
  return Object.fromEntries(
    sides.map(([name, endpoint, text]) => {
      const target = {
        url: `${system.url}/api/v1/run/${endpoint}`,
        headers: system.headers,
        body: { input_value: text, session_id: `bench-${name}` },
        expected: text.slice(0, 100),
        connections: CONNECTIONS,
      };
      const throughput = (/** @type {LoadSize} */ size) => closedLoop({ ...target, ...size });
      const measure = (/** @type {number} */ seconds) => meter(() => throughput({ seconds }));
      return [name, Object.assign(measure, { throughput })];
    }),
  );
}

/**
 * The CPU time of a request in all services and servers.
 * @param {Medians} side
 */
function cpuMilliseconds(side) {
  const times = Object.entries(side).filter(([name]) => name.endsWith('Microseconds'));
  return times.reduce((sum, [, microseconds]) => sum + microseconds, 0) / 1_000;
}

/**
 * @param {string} what
 * @param {Medians} small
 * @param {Medians} large
 * @param {number} share
 */
function compare(what, small, { perSecond, p50, p99 }, share) {
  const ratio = perSecond / small.perSecond;
  return { ratio, perSecond, p50, p99, goals: [atLeast(what, ratio, share)] };
}
