import { createHash } from 'node:crypto';
import { flowData, node } from '@millrace/testing';
import { loadWorkspaceCode } from '../../tools/build/load-workspace-code.mjs';

/**
 * @typedef {typeof import('@millrace/engine') & typeof import('@millrace/flow') & typeof import('@millrace/components') &
 *   typeof import('@millrace/python') & typeof import('../../libs/python/src/testing/test-pool.fixture')} Code
 * @typedef {import('@millrace/python').ProcessLease} ProcessLease
 * @typedef {import('@millrace/flow').VertexCall} VertexCall
 * @typedef {import('@millrace/flow').ComponentContext} ComponentContext
 */

/** The text of a component that passes its message on. */
const TRIVIAL = `from lfx.custom import Component
from lfx.io import HandleInput, Output
from lfx.schema.message import Message


class Trivial(Component):
    inputs = [HandleInput(name="value", input_types=["Message"])]
    outputs = [Output(name="result", display_name="Result", method="pass_on")]

    def pass_on(self) -> Message:
        return Message(text=self.value.text)
`;
const OUTPUTS = [
  { name: 'result', display_name: 'Result', method: 'pass_on', types: ['Message'], cache: true },
];
const RUN_MILLISECONDS = 60_000;

/** Loads what the measurements call: the engine, the components, the pool of the Python worker. */
export function loadCode() {
  const packages = ['engine', 'flow', 'components', 'python'].map(
    (name) => `export * from '@millrace/${name}';`,
  );
  const pool = `export { openTestPool } from './libs/python/src/testing/test-pool.fixture';`;
  return /** @type {Promise<Code>} */ (loadWorkspaceCode([...packages, pool].join('\n')));
}

/** Runs of Chat Input → trivial vertices in Python → Chat Output, each in a process that the caller has leased. */
export class PythonRuns {
  #code;
  #plan;
  #number = 0;

  /**
   * @param {Code} code
   * @param {number} vertices
   */
  constructor(code, vertices) {
    this.#code = code;
    const document = code.parseFlowDocument(chain(vertices));
    const source = { text: TRIVIAL, sha256: createHash('sha256').update(TRIVIAL).digest('hex') };
    const [, trivial] = document.nodes;
    const component = code.pythonComponent({ ...trivial, savedOutputs: OUTPUTS }, source);
    const { all, find } = code.componentRegistry;
    this.#plan = code.compile(document, {
      flowId: '11111111-1111-4111-8111-111111111111',
      version: 1,
      registry: { all: [...all, component], find: (type) => (type === 'Trivial' ? component : find(type)) },
    });
  }

  /**
   * Executes one run. Resolves to the milliseconds of each vertex in Python, from the call to its outcome. Rejects when the
   * run fails or answers another text.
   * @param {ProcessLease} lease
   * @param {string} [text]
   */
  async run({ process }, text = `run ${(this.#number += 1)}`) {
    const { execute, noResources, PythonRun } = this.#code;
    const pool = { lease: async () => ({ process, release: async () => undefined }), logger: console };
    const run = new PythonRun(
      /** @type {import('@millrace/python').PythonPool} */ (/** @type {unknown} */ (pool)),
      { ownerId: 'bench', flowId: 'bench', version: 1 },
    );
    /** @type {number[]} */
    const times = [];
    const python = {
      /**
       * @param {VertexCall} call
       * @param {ComponentContext} context
       */
      async compute(call, context) {
        const started = performance.now();
        const outcome = await run.compute(call, context);
        times.push(performance.now() - started);
        return outcome;
      },
    };
    const resources = Object.create(noResources, { python: { value: python } });
    const { outputs } = await execute(this.#plan, request(text), environment(resources));
    await run.close();
    if (outputs[0].outputs[0].outputs['message']?.message !== text)
      throw new Error('A run answered another text.');
    return times;
  }
}

/** @param {number} vertices */
function chain(vertices) {
  const names = Array.from({ length: vertices }, (_, number) => `Trivial-${number}`);
  const nodes = [
    node('ChatInput-in', { input_value: '', should_store_message: false }, 'message'),
    ...names.map((name) => node(name, { value: { type: 'other', value: '' } }, 'result')),
    node('ChatOutput-out', { input_value: '', should_store_message: false }, 'message'),
  ];
  const edges = names.map((name, number) =>
    number === 0 ? `ChatInput-in.message > ${name}.value` : `${names[number - 1]}.result > ${name}.value`,
  );
  return flowData(nodes, [...edges, `${names[vertices - 1]}.result > ChatOutput-out.input_value`]);
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
 * @param {import('@millrace/flow').RunResources} resources
 * @returns {import('@millrace/engine').RunEnvironment}
 */
function environment(resources) {
  return {
    runId: '22222222-2222-4222-8222-222222222222',
    attempt: 1,
    userId: 'bench',
    signal: new AbortController().signal,
    deadline: Date.now() + RUN_MILLISECONDS,
    limits: { maximumVertices: 10_000, maximumOutputBytes: 100_000_000 },
    messages: { store: async () => undefined, read: async () => [] },
    fetch,
    resources,
    variable: async () => undefined,
    emit: () => undefined,
  };
}
