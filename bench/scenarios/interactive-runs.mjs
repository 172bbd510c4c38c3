import { atLeast, atMost } from '../goals.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { httpSides } from '../load/http-sides.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const common = {
  limit: 'Express and one round trip over the broker',
  of: 'the limit',
};

/**
 * B1: the latency of one caller.
 * @type {Scenario}
 */
export const oneConnection = {
  ...common,
  id: 'B1',
  title: 'Chat Input → Chat Output through RabbitMQ, Redis and PostgreSQL, 1 connection',
  goal: 'p50 at most twice the limit, p99 at most 10 ms',
  open: (benchEnvironment) => open(benchEnvironment, 1),
  conclude: ({ limit, millrace }) => ({
    ...summary(limit, millrace),
    goals: [
      atMost('p50 compared with the limit', millrace.p50 / limit.p50, 2),
      atMost('p99 in ms', millrace.p99, 10),
    ],
  }),
};

/** B2: the throughput of one executor. */
export const manyConnections = throughput('B2', 64, 0.6);

/** B25: the same with more callers, whose jobs and replies share messages more often. */
export const mostConnections = throughput('B25', 256, 0.6);

/**
 * @param {string} id
 * @param {number} connections
 * @param {number} share of the limit
 * @returns {Scenario}
 */
function throughput(id, connections, share) {
  return {
    ...common,
    id,
    title: `Chat Input → Chat Output through the same, ${connections} connections, one executor`,
    goal: `throughput at least ${share} of the limit`,
    open: (benchEnvironment) => open(benchEnvironment, connections),
    conclude: ({ limit, millrace }) => ({
      ...summary(limit, millrace),
      goals: [atLeast('throughput compared with the limit', millrace.perSecond / limit.perSecond, share)],
    }),
  };
}

/**
 * @param {BenchEnvironment} benchEnvironment
 * @param {number} connections
 */
async function open(benchEnvironment, connections) {
  const environment = { BENCH_QUEUE: await benchEnvironment.queueName() };
  await benchEnvironment.startBare('round-trip.cjs', { words: ['answer'], environment });
  const bare = await benchEnvironment.startBare('round-trip.cjs', { words: ['serve'], environment });
  const system = await benchEnvironment.startSystem();
  const { endpoint } = await upload(system, exampleFlow('echo', 'bench-echo'));
  const body = { input_value: 'hello', session_id: 'bench' };
  return httpSides(
    {
      limit: { url: `${bare.url}/run`, body, expected: 'xxx' },
      millrace: {
        url: `${system.url}/api/v1/run/${endpoint}`,
        headers: system.headers,
        body,
        expected: '"text":"hello"',
      },
    },
    { connections },
  );
}

/**
 * @param {Medians} limit
 * @param {Medians} millrace
 */
function summary(limit, { perSecond, p50, p99 }) {
  return { ratio: perSecond / limit.perSecond, perSecond, p50, p99 };
}
