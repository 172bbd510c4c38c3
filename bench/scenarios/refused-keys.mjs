import { randomBytes } from 'node:crypto';
import { atMost } from '../goals.mjs';
import { openLoop } from '../load/open-loop.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const GOOD_PER_SECOND = 50;
const BAD_PER_SECOND = 500;

/**
 * B14: requests with invalid keys do not slow down requests with valid keys.
 * @type {Scenario}
 */
export default {
  id: 'B14',
  title: `${GOOD_PER_SECOND} runs a second while ${BAD_PER_SECOND} requests a second have invalid keys, standalone with embedded parts`,
  limit: 'the same runs alone',
  goal: 'p99 at most twice that of the runs alone',
  of: "the runs' p99 alone",
  async open(benchEnvironment) {
    const standalone = await benchEnvironment.startStandalone();
    const url = `${standalone.url}/api/v1/run/echo`;
    const body = { input_value: 'hello' };
    const good = { url, headers: standalone.headers, body, perSecond: GOOD_PER_SECOND };
    const madeUp = () => ({ 'x-api-key': `sk-${randomBytes(32).toString('base64url')}` });
    const bad = { url, body, headers: madeUp, perSecond: BAD_PER_SECOND, expectedStatus: 403 };
    return {
      alone: (seconds) => openLoop({ ...good, seconds }),
      underLoad: async (seconds) => {
        const [figures, refused] = await Promise.all([
          openLoop({ ...good, seconds }),
          openLoop({ ...bad, seconds }),
        ]);
        return { ...figures, refusedP99: refused.p99, errors: figures.errors + refused.errors };
      },
    };
  },
  conclude: ({ alone, underLoad }) => ({
    ratio: underLoad.p99 / alone.p99,
    perSecond: GOOD_PER_SECOND,
    p50: underLoad.p50,
    p99: underLoad.p99,
    goals: [atMost('p99 with invalid keys, times p99 alone', underLoad.p99 / alone.p99, 2)],
  }),
};
