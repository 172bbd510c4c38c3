import { atLeast, atMost } from '../goals.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

/** @import { Figures, LoadSize, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const connections = [1, 16, 64, 256];
/** The number of connections with which `--profile` measures. */
const PROFILED = 64;

/** @param {number} count */
const side = (count) => (count === 1 ? '1 connection' : `${count} connections`);

/**
 * B15: the most common shape of flow.
 * @type {Scenario}
 */
export default {
  id: 'B15',
  title: 'Chat Input → Prompt → a model without latency → Chat Output, 1, 16, 64 and 256 connections',
  limit: 'the model alone, 64 connections',
  goal: 'no errors at any number of connections; at least 2,000 runs per second at 64',
  of: 'the model alone, at 64 connections',
  async open(benchEnvironment) {
    const model = await benchEnvironment.startModel();
    const system = await benchEnvironment.startSystem({
      concurrency: Math.max(...connections),
      environment: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-bench' },
    });
    const { endpoint } = await upload(system, exampleFlow('chat', 'bench-chat'));
    const meter = await benchEnvironment.createMeter(system);
    const limit = {
      url: `${model.url}/chat/completions`,
      headers: { authorization: 'Bearer sk-bench' },
      body: { model: 'echo', messages: [{ role: 'user', content: '[[reply="done"]]' }] },
      expected: 'done',
      connections: 64,
    };
    const target = {
      url: `${system.url}/api/v1/run/${endpoint}`,
      headers: system.headers,
      body: { input_value: '[[reply="done"]]' },
      expected: '"text":"done"',
    };
    return {
      limit: (seconds) => closedLoop({ ...limit, seconds }),
      ...Object.fromEntries(
        connections.map((count) => {
          const measure = (/** @type {number} */ seconds) =>
            meter(() => closedLoop({ ...target, connections: count, seconds }));
          const throughput = (/** @type {LoadSize} */ size) =>
            closedLoop({ ...target, connections: count, ...size });
          return [side(count), count === PROFILED ? Object.assign(measure, { throughput }) : measure];
        }),
      ),
    };
  },
  conclude: ({ limit, ...sides }) => ({
    ratio: sides[side(64)].perSecond / limit.perSecond,
    perSecond: sides[side(64)].perSecond,
    p50: sides[side(64)].p50,
    p99: sides[side(64)].p99,
    goals: [
      ...connections.map((count) => atMost(`errors at ${count} connections`, sides[side(count)].errors, 0)),
      atLeast('runs per second at 64 connections', sides[side(64)].perSecond, 2_000),
    ],
  }),
};
