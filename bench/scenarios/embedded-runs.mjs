import { atLeast, atMost } from '../goals.mjs';
import { httpSides } from '../load/http-sides.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { Target } from '../load/http-sides.mjs' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

/**
 * B4: everything in one process.
 * @type {Scenario}
 */
export default {
  id: 'B4',
  title: 'Chat Input → Chat Output, standalone with embedded parts, 64 connections',
  limit: 'Express that parses the body and sends an answer of the same size',
  goal: 'at least 6,000 runs per second, p99 at most 30 ms',
  of: 'the limit',
  async open(benchEnvironment) {
    const bare = await benchEnvironment.startBare('express.cjs', { needsServers: false });
    const standalone = await benchEnvironment.startStandalone();
    const body = { input_value: 'hello', session_id: 'bench' };
    /** @type {Record<string, Target>} */
    const targets = {
      limit: { url: `${bare.url}/run`, body, expected: 'xxx' },
      millrace: {
        url: `${standalone.url}/api/v1/run/echo`,
        headers: standalone.headers,
        body,
        expected: '"text":"hello"',
      },
    };
    return httpSides(targets, { connections: 64 });
  },
  conclude: ({ limit, millrace: { perSecond, p50, p99 } }) => ({
    ratio: perSecond / limit.perSecond,
    perSecond,
    p50,
    p99,
    goals: [atLeast('runs per second', perSecond, 6_000), atMost('p99 in ms', p99, 30)],
  }),
};
