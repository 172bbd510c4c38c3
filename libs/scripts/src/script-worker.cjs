// The thread in which scripts run, each in a fresh runtime of QuickJS (a JavaScript engine compiled to WebAssembly),
// which has no timers, no network and no files. A separate CommonJS file, so that it runs next to the TypeScript
// sources and next to a bundle.
//
//    in   { id, source, input }   input is JSON text
//    out  { id, result } (JSON text) or { id, failure: { kind, text } }, with one of the kinds
//         error (the script's own), time, memory, size, cancelled, broken
// workerData: { flag, maximumMilliseconds, maximumMemoryBytes, maximumJsonCharacters }; `flag` contains the id of a
// call that must end immediately.
const { parentPort, workerData } = require('node:worker_threads');
const { newQuickJSWASMModuleFromVariant, Scope } = require('quickjs-emscripten-core');
const variant = require('@jitl/quickjs-wasmfile-release-sync');

const { maximumMilliseconds, maximumMemoryBytes, maximumJsonCharacters } = workerData;
const flag = new Int32Array(workerData.flag);
const STACK_BYTES = 256 * 1024;
const MAXIMUM_ERROR_CHARACTERS = 1000;
const OUT_OF_MEMORY = 'InternalError: out of memory';

/**
 * Runs before the script, with functions that the script cannot have changed: parses the input, serializes the result
 * and describes the error.
 */
const HARNESS = `(() => {
  const { parse, stringify } = JSON;
  const Fault = Error;
  const text = String;
  return {
    read: (json) => parse(json),
    write: (value) => stringify(value === undefined ? null : value) ?? 'null',
    result: (value, given) => (typeof main === 'function' ? main(given) : value),
    describe: (error) => {
      const isError = error instanceof Fault;
      return isError ? text(error.name) + ': ' + text(error.message) : text(error);
    },
  };
})()`;

newQuickJSWASMModuleFromVariant(variant.default ?? variant).then(
  (engine) => {
    parentPort.on('message', (call) => parentPort.postMessage({ id: call.id, ...run(engine, call) }));
    parentPort.postMessage({ ready: true });
  },
  (error) => {
    throw error;
  },
);

function run(engine, { id, source, input }) {
  const call = { end: Date.now() + maximumMilliseconds, cut: null };
  const interrupt = () => {
    if (Atomics.load(flag, 0) === id) call.cut = 'cancelled';
    else if (Date.now() > call.end) call.cut = 'time';
    return call.cut !== null;
  };
  try {
    const result = Scope.withScope((scope) => new Runtime(engine, scope, interrupt).call(source, input));
    if (call.cut !== null) return failure(call.cut);
    return result.length > maximumJsonCharacters ? failure('size') : { result };
  } catch (error) {
    if (call.cut !== null) return failure(call.cut);
    if (!(error instanceof ScriptError)) return failure('broken', String(error?.message ?? error));
    return error.message === OUT_OF_MEMORY ? failure('memory') : failure('error', error.message);
  }
}

/** The runtime of one call. All handles are released when the scope ends, as QuickJS requires. */
class Runtime {
  constructor(engine, scope, interruptHandler) {
    this.scope = scope;
    this.runtime = scope.manage(
      engine.newRuntime({
        memoryLimitBytes: maximumMemoryBytes,
        maxStackSizeBytes: STACK_BYTES,
        interruptHandler,
      }),
    );
    this.context = scope.manage(this.runtime.newContext());
    this.harness = this.kept(this.context.evalCode(HARNESS, 'harness.js'));
  }

  /** Returns the script's result as JSON; throws a ScriptError. */
  call(source, input) {
    const { context, scope } = this;
    const given = this.harnessed('read', scope.manage(context.newString(input)));
    context.setProp(context.global, 'input', given);
    const last = this.kept(context.evalCode(source, 'script.js'));
    const value = this.settled(this.harnessed('result', last, given));
    return context.getString(this.harnessed('write', value));
  }

  harnessed(name, ...values) {
    const { context, scope } = this;
    const member = scope.manage(context.getProp(this.harness, name));
    return this.kept(context.callFunction(member, context.undefined, ...values));
  }

  /**
   * Returns the settled value of a promise: the runtime has no other source of events than the script's pending jobs.
   */
  settled(value) {
    const jobs = this.runtime.executePendingJobs();
    if (jobs.error) throw this.scriptError(this.scope.manage(jobs.error));
    const state = this.context.getPromiseState(value);
    if (state.type === 'pending') throw new ScriptError('its promise never settles.');
    if (state.type === 'rejected') throw this.scriptError(this.scope.manage(state.error));
    return state.notAPromise ? value : this.scope.manage(state.value);
  }

  kept(outcome) {
    if (outcome.error) throw this.scriptError(this.scope.manage(outcome.error));
    return this.scope.manage(outcome.value);
  }

  scriptError(handle) {
    const { context, scope } = this;
    if (this.harness === undefined) return new ScriptError(OUT_OF_MEMORY);
    const describe = scope.manage(context.getProp(this.harness, 'describe'));
    const description = context.callFunction(describe, context.undefined, handle);
    if (!description.error) return new ScriptError(context.getString(scope.manage(description.value)));
    scope.manage(description.error);
    return new ScriptError('unknown error.');
  }
}

class ScriptError extends Error {}

function failure(kind, text = '') {
  return { failure: { kind, text: text.slice(0, MAXIMUM_ERROR_CHARACTERS) } };
}
