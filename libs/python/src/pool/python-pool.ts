import type { Logger, Metrics } from '@millrace/service';
import { withDeadline } from '@millrace/service';
import type { ProcessGreeting, PythonProcess } from '../process/python-process';
import type { SealState } from '../process/seal-state';
import { KeptProcesses } from './kept-processes';
import { PythonBusyError, refused } from './pool-errors';
import { createPoolMetrics } from './pool-metrics';
import type { PoolMetrics, ProcessState } from './pool-metrics';
import type { EgressOptions, LeaseKey, PoolSettings } from './pool-settings';
import { ProcessStarter } from './process-starter';
import { SealRefusedError } from './seal-refusal';
import { StartRetry } from './start-retry';
import { WaitingLeases } from './waiting-leases';
import type { FoundProcess } from './waiting-leases';

const resetMilliseconds = 1_000;
const maximumWaits = 6;
const maximumWaiting = 1_000;

export interface PoolOptions {
  readonly settings: PoolSettings;
  /** Not used where the seal is off. */
  readonly egress: EgressOptions;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What a pool knows about its Python, for the readiness of its service. */
export interface PoolState {
  /** A process has started, and the zygote can fork others. */
  readonly ready: boolean;
  /** Versions; null before the first process. */
  readonly lfx: string | null;
  readonly python: string | null;
  readonly seal: SealState | null;
  /** Why no process can start now; null where none failed. */
  readonly failure: string | null;
}

/** A process that belongs to one run until it is released. */
export interface ProcessLease {
  readonly process: PythonProcess;
  /** Ends the lease; the process is kept for the next run of the same key where that is allowed. Idempotent. */
  release(): Promise<void>;
}

/**
 * Leases Python processes to runs. Some processes are ready before a run asks. After a run, its process is kept for the
 * next run of the same owner and flow version, for a while; it never serves another owner or flow version.
 */
export class PythonPool {
  readonly #settings: PoolSettings;
  readonly logger: Logger;
  readonly #metrics: PoolMetrics;
  readonly #ready: PythonProcess[] = [];
  readonly #kept: KeptProcesses;
  readonly #waiting = new WaitingLeases();
  readonly #retry = new StartRetry(() => this.#fill());
  #starting = 0;
  #leased = 0;
  #isClosed = false;
  #starter: ProcessStarter | null = null;
  #first: Pick<ProcessGreeting, 'lfx' | 'python' | 'seal'> | null = null;
  /** Why no lease is possible until the pool is opened again. */
  #refusal: string | null = null;

  private constructor({ settings, logger, metrics }: PoolOptions) {
    this.#settings = settings;
    this.logger = logger;
    this.#kept = new KeptProcesses(settings.limits.keepMilliseconds);
    this.#metrics = createPoolMetrics(metrics, () => this.counts);
  }

  /** Starts Python. The pool can lease before Python is ready: leases wait. */
  static async open(options: PoolOptions): Promise<PythonPool> {
    const pool = new PythonPool(options);
    const ready = (): void => pool.#fill();
    pool.#starter = await ProcessStarter.open({ ...options, poolMetrics: pool.#metrics }, ready);
    return pool;
  }

  get counts(): Readonly<Record<ProcessState, number>> {
    const [starting, leased] = [this.#starting, this.#leased];
    return { starting, ready: this.#ready.length, leased, kept: this.#kept.size };
  }

  get state(): PoolState {
    const { lfx = null, python = null, seal = null } = this.#first ?? {};
    const failure = this.#refusal ?? this.#starter?.failure ?? this.#retry.lastFailure;
    const ready = this.#first !== null && this.#starter?.isReady === true && failure === null;
    return { ready, lfx, python, seal, failure };
  }

  /** The process id of the zygote. */
  get zygotePid(): number | undefined {
    return this.#starter?.zygotePid;
  }

  /**
   * Leases a process for one run. Rejects with a PythonBusyError when none is free within the limit, with a
   * permanent error when processes are not sealed as the settings demand, and with the signal's reason.
   */
  async lease(key: LeaseKey, signal: AbortSignal): Promise<ProcessLease> {
    signal.throwIfAborted();
    if (this.#refusal !== null) throw refused(this.#refusal);
    if (this.#isClosed) throw new PythonBusyError('Python is shutting down.');
    const started = performance.now();
    const text = JSON.stringify([key.ownerId, key.flowId, key.version]);
    const found = this.#takeKept(text) ?? this.#takeReady() ?? (await this.#wait(text, signal));
    const seconds = (performance.now() - started) / 1000;
    this.#metrics.leaseWait.record(seconds);
    this.#metrics.formerLeaseWait.record(seconds);
    return this.#leaseOf(found.process, text, found.runs + 1);
  }

  /** Ends all processes. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.rejectAll(new PythonBusyError('Python is shutting down.'));
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#retry.cancel();
    this.#kept.clear();
    this.#ready.length = 0;
    await this.#starter?.close();
  }

  #takeKept(key: string): FoundProcess | null {
    const kept = this.#kept.take(key);
    return kept === null ? null : this.#found(kept, 'kept');
  }

  #takeReady(): FoundProcess | null {
    // A process that has ended is removed only when its reason is known.
    const index = this.#ready.findIndex(({ isUsable }) => isUsable);
    const [process] = index === -1 ? [] : this.#ready.splice(index, 1);
    if (process === undefined) return null;
    const found = this.#found({ process, runs: 0 }, 'ready');
    this.#fill();
    return found;
  }

  #found(found: FoundProcess, outcome: string): FoundProcess {
    this.#leased += 1;
    this.#metrics.leases.add(1, { outcome });
    return found;
  }

  async #wait(key: string, signal: AbortSignal): Promise<FoundProcess> {
    if (this.#waiting.size >= maximumWaiting) {
      throw new PythonBusyError('Too many runs wait for a Python process.');
    }
    const { waitMilliseconds } = this.#settings.limits;
    const waiting = this.#waiting.add(key, signal, waitMilliseconds, (waits) => {
      // A zygote takes seconds to import lfx.
      if (this.#starter?.isStarting === true && waits < maximumWaits) return null;
      this.#metrics.leases.add(1, { outcome: 'timed_out' });
      return new PythonBusyError(this.#waitFailure((waits * waitMilliseconds) / 1000));
    });
    this.#makeRoom();
    this.#fill();
    return waiting;
  }

  #waitFailure(seconds: number): string {
    const reason = this.#starter?.failure ?? this.#retry.lastFailure;
    return `No Python process was free within ${seconds} s.${reason === null ? '' : ` Python does not start: ${reason}`}`;
  }

  #leaseOf(process: PythonProcess, key: string, runs: number): ProcessLease {
    let isReleased = false;
    return {
      process,
      release: async () => {
        if (isReleased) return;
        isReleased = true;
        const isKept = await this.#isReusable(process, runs);
        this.#leased -= 1;
        if (isKept && !this.#isClosed && process.isUsable) this.#keep(process, key, runs);
        else process.kill('its run has ended', 'recycled');
        this.#fill();
      },
    };
  }

  /** Decides by what the run left in the process: a request, a task or a thread could outlast it. */
  async #isReusable(process: PythonProcess, runs: number): Promise<boolean> {
    const { reuse, limits, seal } = this.#settings;
    if (!process.isUsable || process.pending > 0 || reuse === 'never' || runs >= limits.maximumRuns)
      return false;
    try {
      const reset = process.reset(limits.maximumKeptBytes);
      const report = await withDeadline(reset, resetMilliseconds, 'It did not reset in time.');
      const isSpent = seal.level !== 'off' && report.cpuMilliseconds > seal.cpuSeconds * 500;
      return (
        report.tasks === 0 && report.threads === 0 && report.bytes <= limits.maximumKeptBytes && !isSpent
      );
    } catch {
      return false;
    }
  }

  #keep(process: PythonProcess, key: string, runs: number): void {
    if (this.#give({ process, runs }, key)) return;
    this.#kept.keep(process, key, runs);
    this.#makeRoom();
  }

  /** Gives a process to a lease that waits. */
  #give(found: FoundProcess, key?: string): boolean {
    if (!this.#waiting.give(found, key)) return false;
    this.#found(found, 'waited');
    return true;
  }

  get #total(): number {
    return this.#starting + this.#ready.length + this.#leased + this.#kept.size;
  }

  /** Ends the processes that were kept first, as many as waiting runs need. */
  #makeRoom(): void {
    while (this.#kept.size > 0) {
      const free = this.#settings.maximumProcesses - this.#total;
      if (free + this.#starting >= this.#waiting.size) return;
      this.#kept.evictFirst();
    }
  }

  /** Starts processes for the runs that wait and for the next ones; without any run the first one, for the state. */
  #fill(): void {
    const { readyProcesses, maximumProcesses } = this.#settings;
    const wanted = Math.max(readyProcesses, this.#first === null ? 1 : 0);
    while (
      !this.#isClosed &&
      !this.#retry.isWaiting &&
      this.#starter?.isReady === true &&
      this.#total < maximumProcesses &&
      this.#starting + this.#ready.length < wanted + this.#waiting.size
    ) {
      this.#starting += 1;
      void this.#startOne(this.#starter);
    }
  }

  async #startOne(starter: ProcessStarter): Promise<void> {
    try {
      const process = await starter.start();
      this.#starting -= 1;
      this.#retry.succeeded();
      void process.ended.then(() => this.#processEnded(process));
      this.#offer(process);
    } catch (error) {
      this.#starting -= 1;
      this.#startFailed(error);
    }
  }

  #startFailed(error: unknown): void {
    if (this.#isClosed || this.#refusal !== null) return;
    this.#metrics.startFailures.add(1);
    if (error instanceof SealRefusedError && this.#first === null) return this.#refuse(error);
    this.logger.warn({ err: error }, 'A Python process did not start');
    this.#retry.failed(error);
  }

  /** The first process is sealed less than demanded, and so would be every other one. */
  #refuse({ greeting, message }: SealRefusedError): void {
    this.#first = greeting;
    this.#refusal = message;
    this.logger.error({ layers: greeting.seal.layers }, message);
    this.#waiting.rejectAll(refused(message));
    void this.#end().catch((error: unknown) =>
      this.logger.warn({ err: error }, 'Ending the refused Python processes failed'),
    );
  }

  #offer(process: PythonProcess): void {
    this.#noteFirst(process.greeting);
    if (this.#isClosed || this.#refusal !== null) process.kill('Python is shutting down', 'recycled');
    else if (!this.#give({ process, runs: 0 })) this.#ready.push(process);
    this.#fill();
  }

  #noteFirst({ lfx, python, seal }: ProcessGreeting): void {
    const { layers, missing } = seal;
    if (this.#first === null && missing.length > 0)
      this.logger.warn({ layers }, `The seal of Python processes lacks ${missing.join(', ')}`);
    this.#first ??= { lfx, python, seal };
  }

  #processEnded(process: PythonProcess): void {
    this.#metrics.processEnds.add(1, { reason: process.endReason });
    const index = this.#ready.indexOf(process);
    if (index !== -1) this.#ready.splice(index, 1);
    this.#kept.remove(process);
    this.#fill();
  }
}
