import { atLeast, atMost } from '../goals.mjs';
import { exampleFlow, upload } from '../flows.mjs';
import { streamLoop } from '../load/stream-loop.mjs';

/** @import { StreamTarget } from '../load/stream-loop.mjs' */

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const TOKENS = 200;
const CALLERS = 16;
const input = `[[tokens=${TOKENS}]]`;

/**
 * B7: the forwarding of tokens from a model to the caller.
 * @type {Scenario}
 */
export default {
  id: 'B7',
  title: `streamed runs of ${TOKENS} tokens, ${CALLERS} callers`,
  limit: "Express and the model's client, one line of JSON for each token",
  goal: "first token at most 3 ms after the model's; at least 0.8 of the limit's tokens per second",
  of: 'the limit',
  async open(benchEnvironment) {
    const model = await benchEnvironment.startModel();
    const environment = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-bench' };
    const bare = await benchEnvironment.startBare('token-stream.cjs', { needsServers: false, environment });
    const system = await benchEnvironment.startSystem({ environment });
    const { endpoint } = await upload(system, exampleFlow('chat', 'bench-chat'));
    /** @type {Record<string, StreamTarget>} */
    const targets = {
      model: {
        url: `${model.url}/chat/completions`,
        headers: { authorization: 'Bearer sk-bench' },
        body: { model: 'echo', stream: true, messages: [{ role: 'user', content: input }] },
        token: '"delta":{"content":',
      },
      limit: { url: `${bare.url}/run`, body: { input_value: input }, token: '{"event":"token"' },
      millrace: {
        url: `${system.url}/api/v1/run/${endpoint}?stream=true`,
        headers: system.headers,
        body: { input_value: input },
        token: '{"event": "token"',
      },
    };
    return Object.fromEntries(
      Object.entries(targets).map(([name, target]) => [name, (seconds) => measure(target, seconds)]),
    );
  },
  conclude: ({ model, limit, millrace }) => ({
    ratio: millrace.tokensPerSecond / limit.tokensPerSecond,
    perSecond: millrace.tokensPerSecond,
    p50: millrace.p50,
    p99: millrace.p99,
    goals: [
      atMost("first token after the model's in ms", millrace.firstToken - model.firstToken, 3),
      atLeast(
        'tokens per second compared with the limit',
        millrace.tokensPerSecond / limit.tokensPerSecond,
        0.8,
      ),
    ],
  }),
};

/**
 * Measures the first token with a single caller, and all other figures with all callers.
 * @param {StreamTarget} target
 * @param {number} seconds
 */
async function measure(target, seconds) {
  const alone = await streamLoop({ ...target, tokens: TOKENS, connections: 1, seconds: seconds / 2 });
  const together = await streamLoop({ ...target, tokens: TOKENS, connections: CALLERS, seconds });
  return {
    ...together,
    firstToken: alone.firstToken,
    errors: alone.errors + together.errors,
    requests: alone.requests + together.requests,
  };
}
