import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { backoff } from '../../time/backoff';
import { sendToWorker } from './send-to-worker';

export interface RestartRule {
  readonly initialMilliseconds: number;
  readonly maximumMilliseconds: number;
  /** Maximum number of consecutive times that a process ends soon after its start. */
  readonly limit: number;
  /** A process that was ready for at least this long did not end soon. */
  readonly steadyMilliseconds: number;
}

/** The unexpected end of a process. */
export interface WorkerEnd {
  readonly slot: string;
  readonly pid: number | undefined;
  readonly code: number | null;
  readonly signal: string | null;
  /** Number of consecutive times that it ended soon. */
  readonly failures: number;
}

export interface WorkerSlotOptions {
  /** Identifies the slot across its processes. */
  readonly name: string;
  readonly rule: RestartRule;
  /** Returns whether to start another process. */
  onEnd(end: WorkerEnd): boolean;
}

type State = 'starting' | 'ready' | 'waiting' | 'ended';

/** One position of a service, whose process is replaced when it ends. */
export class WorkerSlot {
  readonly #options: WorkerSlotOptions;
  #state: State = 'ended';
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #readySince: number | undefined;
  #failures = 0;
  #stopping: ((code: number) => void) | undefined;

  constructor(options: WorkerSlotOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get state(): State {
    return this.#state;
  }

  get worker(): Worker | undefined {
    return this.#worker;
  }

  start(): void {
    this.#state = 'starting';
    const worker = cluster.fork();
    this.#worker = worker;
    // Both events precede the exit, which is handled below.
    worker.on('error', () => undefined);
    worker.process.on('error', () => undefined);
    worker.on('exit', (code, signal) => this.#ended(worker, code, signal));
  }

  markReady(): void {
    this.#state = 'ready';
    this.#readySince = performance.now();
  }

  /** Stops the process; resolves to its exit code, 0 without a process, 1 when a signal ended it. */
  stop(): Promise<number> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    if (worker === undefined) {
      this.#state = 'ended';
      return Promise.resolve(0);
    }
    sendToWorker(worker, { kind: 'stop' });
    return new Promise((resolve) => {
      this.#stopping = resolve;
    });
  }

  kill(): void {
    this.#worker?.process.kill('SIGKILL');
  }

  #ended({ process: { pid } }: Worker, code: number | null, signal: string | null): void {
    this.#worker = undefined;
    this.#state = 'ended';
    if (this.#stopping) return this.#stopping(code ?? 1);
    const { rule, name, onEnd } = this.#options;
    const readyFor = this.#readySince === undefined ? 0 : performance.now() - this.#readySince;
    this.#failures = readyFor >= rule.steadyMilliseconds ? 1 : this.#failures + 1;
    this.#readySince = undefined;
    if (!onEnd({ slot: name, pid, code: signal === null ? code : null, signal, failures: this.#failures }))
      return;
    this.#state = 'waiting';
    this.#timer = setTimeout(() => this.start(), backoff({ ...rule, attempt: this.#failures - 1 }));
  }
}
