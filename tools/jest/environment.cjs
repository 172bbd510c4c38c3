const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');

const PGLITE = join(dirname(require.resolve('@electric-sql/pglite')), 'pglite.wasm');

/** TypeScript knows WebAssembly from the types of browsers alone. */
const { compile } = /** @type {{ compile(code: Uint8Array): Promise<object> }} */ (
  Reflect.get(globalThis, 'WebAssembly')
);

/**
 * PGlite's code, compiled and kept: each test file starts its databases in new threads, and V8 shares this code with all
 * threads of the process, which would otherwise compile it again.
 * @type {object | undefined}
 */
let compiled;

/** A deadline for a hang, of each test and hook: a busy machine is slow. A test can ask for more, and not for less. */
const DEADLINE_MILLISECONDS = 600_000;

/**
 * @typedef {import('@jest/types').Circus.AsyncEvent | import('@jest/types').Circus.SyncEvent} Event
 * @typedef {import('@jest/types').Circus.State} State
 * @typedef {import('@jest/types').Circus.DescribeBlock | import('@jest/types').Circus.TestEntry} Part
 */

/** Jest's environment for Node. */
module.exports = class Environment extends TestEnvironment {
  /** What a `beforeAll` that failed was to prepare.
   * @type {Set<Part>} */
  #failed = new Set();

  /** @override */
  async setup() {
    await super.setup();
    compiled ??= await compile(readFileSync(PGLITE));
  }

  /**
   * @param {Event} event
   * @param {State} state
   */
  handleTestEvent(event, state) {
    if (event.name === 'hook_start') extend(event.hook, state);
    if (event.name === 'test_fn_start') extend(event.test, state);
    if (event.name === 'hook_failure') this.#afterHookFailure(event, state);
  }

  /**
   * Without what a `beforeAll` prepares, no test can run. Its failure is that of one test, the others are skipped, and what
   * hooks fail with after it is a consequence.
   * @param {Extract<Event, { name: 'hook_failure' }>} event
   * @param {State} state
   */
  #afterHookFailure({ hook, describeBlock, test }, state) {
    const part = describeBlock ?? test;
    if (part === undefined) return;
    if (this.#failed.has(part)) {
      if (hook.type === 'afterAll') state.unhandledErrors.pop();
      else for (const { errors } of testsOf(part)) errors.pop();
    } else if (hook.type === 'beforeAll') {
      const [, ...others] = testsOf(part).filter(({ mode }) => mode !== 'skip' && mode !== 'todo');
      for (const other of others) Object.assign(other, { mode: 'skip', errors: [] });
      for (const failed of partsOf(part)) this.#failed.add(failed);
    }
  }
};

/**
 * @param {{ timeout?: number | null }} part
 * @param {State} state
 */
function extend(part, { testTimeout }) {
  part.timeout = Math.max(part.timeout ?? testTimeout, DEADLINE_MILLISECONDS);
}

/**
 * Returns the part with all groups and tests below it.
 * @param {Part} part
 * @returns {Part[]}
 */
function partsOf(part) {
  return part.type === 'test' ? [part] : [part, ...part.children.flatMap(partsOf)];
}

/** @param {Part} part */
function testsOf(part) {
  return partsOf(part).filter((one) => one.type === 'test');
}
