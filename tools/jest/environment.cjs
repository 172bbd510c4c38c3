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

/** Jest's environment for Node. */
module.exports = class Environment extends TestEnvironment {
  /** @override */
  async setup() {
    await super.setup();
    compiled ??= await compile(readFileSync(PGLITE));
  }
};
