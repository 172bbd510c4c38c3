import { setImmediate as breathe } from 'node:timers/promises';
import { loadWorkspaceCode } from '../../tools/build/load-workspace-code.mjs';
import { atMost } from '../goals.mjs';
import { pureFlow } from '../flows.mjs';
import { quantile } from '../rounds.mjs';

/**
 * @typedef {typeof import('@millrace/engine') & typeof import('@millrace/flow') & typeof import('@millrace/components')} Engine
 */

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const VERTICES = 20;
/** The number of runs that are measured before yielding to the event loop. */
const BATCH = 100;

/**
 * B5: the overhead of the engine per vertex, in this process, without broker, database or HTTP.
 * @type {Scenario}
 */
export default {
  id: 'B5',
  title: `${VERTICES} vertices of pure components: Chat Input → Text Inputs → Chat Output`,
  limit: 'a hand-written function with as many steps that pass the message on',
  goal: 'at most 5 µs per vertex more than the function',
  of: 'the limit',
  async open() {
    /** @type {Engine} */
    const engine = await loadWorkspaceCode(
      ['engine', 'flow', 'components'].map((name) => `export * from '@millrace/${name}';`).join('\n'),
    );
    const plan = engine.compile(engine.parseFlowDocument(pureFlow(VERTICES)), {
      flowId: '11111111-1111-4111-8111-111111111111',
      version: 1,
      registry: engine.componentRegistry,
    });
    return {
      limit: (seconds) => repeat(seconds, withoutEngine),
      millrace: (seconds) =>
        repeat(seconds, async (text) => {
          const { outputs } = await engine.execute(plan, request(text), environment(engine));
          return outputs[0].outputs[0].outputs.message.message;
        }),
    };
  },
  conclude({ limit, millrace: { perSecond, p50, p99 } }) {
    const microseconds = (1_000_000 / perSecond - 1_000_000 / limit.perSecond) / VERTICES;
    return {
      ratio: perSecond / limit.perSecond,
      perSecond,
      p50,
      p99,
      goals: [atMost('overhead per vertex in µs', microseconds, 5)],
    };
  },
};

/**
 * Executes runs sequentially for `seconds`; a wrong answer is an error.
 * @param {number} seconds
 * @param {(text: string) => Promise<unknown>} run
 */
async function repeat(seconds, run) {
  /** @type {number[]} */
  const times = [];
  let errors = 0;
  let busy = 0;
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    for (let count = 0; count < BATCH; count += 1) {
      const text = `run ${times.length}`;
      const started = performance.now();
      const answer = await run(text);
      const took = performance.now() - started;
      busy += took;
      times.push(took);
      if (answer !== text) errors += 1;
    }
    await breathe();
  }
  const requests = times.length;
  times.sort((left, right) => left - right);
  return {
    perSecond: (requests * 1_000) / busy,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    errors,
    requests,
  };
}

/**
 * Does the work of the vertices without an engine: copies the message in each step and awaits it.
 * @param {string} text
 */
async function withoutEngine(text) {
  let message = { text, sender: 'User', sender_name: 'User', session_id: 'bench', files: [] };
  for (let vertex = 0; vertex < VERTICES; vertex += 1) message = await passOn(message);
  return message.text;
}

/**
 * @template T
 * @param {T} message
 */
async function passOn(message) {
  return { ...message };
}

/**
 * @param {string} inputValue
 * @returns {import('@millrace/flow').RunRequest}
 */
function request(inputValue) {
  return {
    form: 'simple',
    inputs: [{ components: [], inputValue, type: 'chat' }],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 'bench',
    globalVariables: {},
  };
}

/**
 * @param {Engine} engine
 * @returns {import('@millrace/engine').RunEnvironment}
 */
function environment({ noResources }) {
  return {
    runId: '22222222-2222-4222-8222-222222222222',
    attempt: 1,
    userId: 'bench',
    signal: new AbortController().signal,
    deadline: Date.now() + 10_000,
    limits: { maximumVertices: 10_000, maximumOutputBytes: 1_000_000 },
    messages: { store: async () => undefined, read: async () => [] },
    fetch,
    resources: noResources,
    variable: async () => undefined,
    emit: () => undefined,
  };
}
