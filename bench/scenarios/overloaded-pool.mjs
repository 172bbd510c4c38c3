import { atMost } from '../goals.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';
import { openLoop } from '../load/open-loop.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const PER_SECOND = 50;
const CALLERS = 128;
const CONCURRENCY = 16;
const ESTABLISHING_SECONDS = 1;

/**
 * B11: an overloaded pool does not delay the runs of another pool.
 * @type {Scenario}
 */
export default {
  id: 'B11',
  title: `${PER_SECOND} runs a second of one pool, ${CALLERS} callers of 250 ms runs on ${CONCURRENCY} slots of another`,
  limit: 'the same runs while the other pool is idle',
  goal: 'p99 at most 50 ms',
  of: "the idle system's p99",
  async open(benchEnvironment) {
    const model = await benchEnvironment.startModel();
    const system = await benchEnvironment.startSystem({
      pools: { default: 1, slow: 1 },
      concurrency: CONCURRENCY,
      environment: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-bench' },
    });
    const quick = await upload(system, exampleFlow('echo', 'bench-quick'));
    const slow = await upload(system, exampleFlow('chat', 'bench-slow', { pool: 'slow' }));
    const { headers } = system;
    const quickRuns = {
      url: `${system.url}/api/v1/run/${quick.endpoint}`,
      headers,
      body: { input_value: 'hello' },
      perSecond: PER_SECOND,
    };
    const slowRuns = {
      url: `${system.url}/api/v1/run/${slow.endpoint}`,
      headers,
      body: { input_value: '[[delay=250 reply="done"]]' },
      connections: CALLERS,
    };
    return {
      alone: (seconds) => openLoop({ ...quickRuns, seconds }),
      underLoad: async (seconds) => {
        const loading = closedLoop({ ...slowRuns, seconds: seconds + 2 * ESTABLISHING_SECONDS });
        await new Promise((resolve) => setTimeout(resolve, ESTABLISHING_SECONDS * 1_000));
        const figures = await openLoop({ ...quickRuns, seconds });
        const load = await loading;
        return {
          ...figures,
          slowPerSecond: load.perSecond,
          errors: figures.errors + load.errors,
        };
      },
    };
  },
  conclude: ({ alone, underLoad }) => ({
    ratio: underLoad.p99 / alone.p99,
    perSecond: PER_SECOND,
    p50: underLoad.p50,
    p99: underLoad.p99,
    goals: [atMost('p99 during the overload in ms', underLoad.p99, 50)],
  }),
};
