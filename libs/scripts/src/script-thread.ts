import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { maximumJsonCharacters } from './script-limits';
import type { ScriptLimits } from './script-limits';

/** A thread that does not say within this time that it is ready, or that its call is over, is stopped. */
const startMilliseconds = 20_000;
const graceMilliseconds = 1_000;

export interface ScriptOrder {
  readonly source: string;
  /** As JSON. */
  readonly input: string;
}

/** What became of a call: its result as JSON, or why there is none. */
export type ScriptOutcome =
  | { readonly result: string }
  | {
      readonly failure: {
        readonly kind: 'error' | 'time' | 'memory' | 'size' | 'cancelled' | 'broken';
        readonly text: string;
      };
    };

/** What script-worker.cjs says; see there. */
type WorkerMessage = { readonly ready: true } | ({ readonly id: number } & ScriptOutcome);

/** One thread that runs scripts, one at a time. Ends once; a successor is a new object. */
export class ScriptThread {
  readonly #worker: Worker;
  readonly #limits: ScriptLimits;
  /** Holds the id of a call that is to end at once. */
  readonly #flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #ready: Promise<void>;
  #lastId = 0;
  #isUsable = true;
  #answer: (outcome: ScriptOutcome) => void = () => undefined;

  constructor(limits: ScriptLimits) {
    this.#limits = limits;
    // Beside this file among the sources, and beside the bundle, where the build copies it.
    this.#worker = new Worker(join(__dirname, 'script-worker.cjs'), {
      workerData: { ...limits, maximumJsonCharacters, flag: this.#flag.buffer },
      env: {},
      execArgv: [],
    });
    // An idle thread keeps no process alive.
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

  /** False when the thread is gone, or is to be replaced. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Never rejects. A signal ends the script at once. To be called when the call before is over. */
  run(order: ScriptOrder, signal: AbortSignal): Promise<ScriptOutcome> {
    if (!this.#isUsable) return Promise.resolve(broken);
    const id = (this.#lastId = (this.#lastId + 1) % 0x7fffffff);
    return new Promise((resolve) => {
      let timer = setTimeout(() => this.#break(), startMilliseconds);
      const cancel = (): void => void Atomics.store(this.#flag, 0, id);
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
        this.#worker.postMessage({ id, ...order });
      });
    });
  }

  /** Twice is fine. */
  async stop(): Promise<void> {
    this.#break();
    await this.#worker.terminate();
  }

  /** What the engine does in one piece, such as filling a long list, cannot be interrupted inside. */
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
