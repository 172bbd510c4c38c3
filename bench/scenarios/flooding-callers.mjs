import { atMost } from '../goals.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';
import { openLoop } from '../load/open-loop.mjs';
import { addUser } from '../users.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const CALLERS = 1_500;
const PER_SECOND = 5;
const ESTABLISHING_SECONDS = 3;
const GOAL_MILLISECONDS = 5_000;

/**
 * B13: a user with very many waiting callers does not delay the callers of another user.
 * @type {Scenario}
 */
export default {
  id: 'B13',
  title: `${CALLERS.toLocaleString('en')} waiting callers of one user, ${PER_SECOND} requests a second of another; two executors, a model of 250 ms in each run`,
  limit: 'the other user alone',
  goal: "p99 of the other user's answers at most 5 s",
  of: "the other user's p99 alone",
  isWarmedUp: false,
  async open(benchEnvironment) {
    const model = await benchEnvironment.startModel();
    const system = await benchEnvironment.startSystem({
      pools: { default: 2 },
      environment: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-bench' },
    });
    /** @param {string} name */
    const runs = async (name) => {
      const user = await addUser(system, name);
      const { endpoint } = await upload(user, exampleFlow('chat', `bench-${name}`));
      return {
        url: `${system.url}/api/v1/run/${endpoint}`,
        headers: user.headers,
        body: { input_value: '[[delay=250 reply="done"]]' },
      };
    };
    const flood = await runs('flooding');
    const quiet = await runs('other');
    return {
      alone: (seconds) => openLoop({ ...quiet, perSecond: PER_SECOND, seconds }),
      underLoad: async (seconds) => {
        const flooding = closedLoop({
          ...flood,
          connections: CALLERS,
          seconds: seconds + 2 * ESTABLISHING_SECONDS,
          refusal: 429,
        });
        await new Promise((resolve) => setTimeout(resolve, ESTABLISHING_SECONDS * 1_000));
        const figures = await openLoop({ ...quiet, perSecond: PER_SECOND, seconds });
        const { perSecond, refused, errors, problems } = await flooding;
        return {
          ...figures,
          floodPerSecond: perSecond,
          floodRefused: refused,
          errors: figures.errors + errors,
          ...(problems === undefined ? {} : { problems }),
        };
      },
    };
  },
  conclude: ({ alone, underLoad }) => ({
    ratio: underLoad.p99 / alone.p99,
    perSecond: PER_SECOND,
    p50: underLoad.p50,
    p99: underLoad.p99,
    goals: [atMost("p99 of the other user's answers in ms", underLoad.p99, GOAL_MILLISECONDS)],
  }),
};
