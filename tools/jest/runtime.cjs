// Jest's runtime, which compiles a file once in each process. Jest's own compiles it again for every test file, and so do the
// functions in it that are compiled when they are first called.
const { Script } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

/**
 * The part of jest's runtime that turns the source of a file into the function that evaluates it. Jest's types hide it.
 * @typedef {object} Executor
 * @property {readonly string[]} injectedModuleParameters
 * @property {(source: string, filename: string) => Function | null} compile returns null when the test file has ended
 */

/**
 * Compiled files by path: as many as the test files of one process load.
 * @type {Map<string, { readonly source: string, readonly script: Script }>}
 */
const compiled = new Map();

module.exports = class Runtime extends JestRuntime {
  /** @param {ConstructorParameters<typeof JestRuntime>} given */
  constructor(...given) {
    super(...given);
    const [, environment] = given;
    const executor = /** @type {Executor} */ (Reflect.get(this, 'executor'));
    const compileAlone = executor.compile.bind(executor);
    const head = `({"Object.<anonymous>":function(${executor.injectedModuleParameters.join(',')}){`;
    executor.compile = (source, filename) => {
      const context = environment.getVmContext();
      if (context === null) return null;
      let kept = compiled.get(filename);
      if (kept?.source !== source) {
        try {
          const script = new Script(`${head}${source}\n}})`, { filename, columnOffset: -head.length });
          kept = { source, script };
        } catch {
          // Jest's own error names the file and what to configure.
          return compileAlone(source, filename);
        }
        compiled.set(filename, kept);
      }
      return kept.script.runInContext(context)['Object.<anonymous>'];
    };
  }
};
