import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { maximumJsonCharacters } from './script-limits';
import type { ScriptLimits } from './script-limits';

/** A thread that does not report within these times that it is ready, or that its call is over, is stopped. */
const startMilliseconds = 20_000;
const graceMilliseconds = 1_000;

export interface ScriptTask {
  readonly source: string;
  /** As JSON. */
  readonly input: string;
}

/** The outcome of a call: its result as JSON, or the failure. */
export type ScriptOutcome =
  | { readonly result: string }
  | {
      readonly failure: {
        readonly kind: 'error' | 'time' | 'memory' | 'size' | 'cancelled' | 'broken';
        readonly text: string;
      };
    };

/** The messages of script-worker.cjs, where they are documented. */
type WorkerMessage = { readonly ready: true } | ({ readonly id: number } & ScriptOutcome);

/** A thread that runs scripts, one at a time. After it has stopped, a new object is needed. */
export class ScriptThread {
  readonly #worker: Worker;
  readonly #limits: ScriptLimits;
  /** The id of a call that must end immediately. */
  readonly #cancelledId = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #ready: Promise<void>;
  #lastId = 0;
  #isUsable = true;
  #answer: (outcome: ScriptOutcome) => void = () => undefined;

  constructor(limits: ScriptLimits) {
    this.#limits = limits;
    // In the same directory as this file in the sources, and as the bundle, to which the build copies it.
    this.#worker = new Worker(join(__dirname, 'script-worker.cjs'), {
      workerData: { ...limits, maximumJsonCharacters, flag: this.#cancelledId.buffer },
      env: {},
      execArgv: [],
    });
    // An idle thread must not keep the process alive.
    this.#worker.unref();
    this.#ready = new Promise((resolve) => {
      this.#worker.on('message', (message: WorkerMessage) => {
        if ('ready' in message) resolve();
        else this.#answer(message);
      });
    });
    this.#worker.once('error', () => this.#break());
    this.#worker.once('exit', () => this.#break());
  }

  /** False when the thread has exited or must be replaced. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Runs a script. Never rejects. The signal ends the script immediately. Call it only after the previous call has
   * ended.
   */
  run(task: ScriptTask, signal: AbortSignal): Promise<ScriptOutcome> {
    if (!this.#isUsable) return Promise.resolve(broken);
    const id = (this.#lastId = (this.#lastId + 1) % 0x7fffffff);
    return new Promise((resolve) => {
      let timer = setTimeout(() => this.#break(), startMilliseconds);
      const cancel = (): void => void Atomics.store(this.#cancelledId, 0, id);
      this.#answer = (outcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        this.#answer = () => undefined;
        if ('failure' in outcome && ['memory', 'broken'].includes(outcome.failure.kind)) void this.stop();
        resolve(outcome);
      };
      signal.addEventListener('abort', cancel, { once: true });
      void this.#ready.then(() => {
        clearTimeout(timer);
        if (!this.#isUsable) return;
        timer = setTimeout(() => this.#overrun(), this.#limits.maximumMilliseconds + graceMilliseconds);
        this.#worker.postMessage({ id, ...task });
      });
    });
  }

  /** Stops the thread. Idempotent. */
  async stop(): Promise<void> {
    this.#break();
    await this.#worker.terminate();
  }

  /**
   * Stops a thread that does not react: single operations of the engine, such as filling a long list, cannot be
   * interrupted.
   */
  #overrun(): void {
    this.#isUsable = false;
    void this.#worker.terminate();
    this.#answer({ failure: { kind: 'time', text: '' } });
  }

  #break(): void {
    this.#isUsable = false;
    this.#answer(broken);
  }
}

const broken: ScriptOutcome = { failure: { kind: 'broken', text: '' } };
