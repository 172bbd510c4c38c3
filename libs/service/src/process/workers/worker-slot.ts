import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { backoff } from '../../time/backoff';
import { tellWorker } from './tell-worker';

export interface RestartRule {
  readonly initialMilliseconds: number;
  readonly maximumMilliseconds: number;
  /** How often in a row a process may end soon after its start. */
  readonly limit: number;
  /** A process that was ready for so long has not ended soon. */
  readonly steadyMilliseconds: number;
}

/** How a process ended that was not told to. */
export interface WorkerEnd {
  readonly slot: string;
  readonly pid: number | undefined;
  readonly code: number | null;
  readonly signal: string | null;
  /** How often in a row it has ended soon. */
  readonly failures: number;
}

export interface WorkerSlotOptions {
  /** Names the slot among the others, and stays while processes come and go. */
  readonly name: string;
  readonly rule: RestartRule;
  /** Whether another process is to follow. */
  onEnd(end: WorkerEnd): boolean;
}

type State = 'starting' | 'ready' | 'waiting' | 'ended';

/** One of the places of a service, in which one process follows the other. */
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
    // Both come before its end, which is what counts.
    worker.on('error', () => undefined);
    worker.process.on('error', () => undefined);
    worker.on('exit', (code, signal) => this.#ended(worker, code, signal));
  }

  isReady(): void {
    this.#state = 'ready';
    this.#readySince = performance.now();
  }

  /** Tells the process to stop; resolves to its exit code, 0 when there is none, 1 when a signal ended it. */
  stop(): Promise<number> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    if (worker === undefined) {
      this.#state = 'ended';
      return Promise.resolve(0);
    }
    tellWorker(worker, { kind: 'stop' });
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
