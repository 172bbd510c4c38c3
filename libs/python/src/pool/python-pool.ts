import { MillraceError } from '@millrace/flow';
import type { Logger, Metrics } from '@millrace/service';
import { withDeadline } from '@millrace/service';
import type { PythonProcess } from '../process/python-process';
import { createPoolMetrics } from './pool-metrics';
import type { PoolMetrics, ProcessState } from './pool-metrics';
import type { LeaseKey, PoolSettings } from './pool-settings';
import { ProcessStarter } from './process-starter';

const resetMilliseconds = 1_000;
const maximumWaiting = 1_000;
const retryMilliseconds = 200;

export interface PoolOptions {
  readonly settings: PoolSettings;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A process that belongs to one run until it is released. */
export interface ProcessLease {
  readonly process: PythonProcess;
  /** Ends the lease; the process is kept for the next run of the same key where that is allowed. Idempotent. */
  release(): Promise<void>;
}

interface KeptProcess {
  readonly process: PythonProcess;
  readonly key: string;
  readonly runs: number;
  readonly timer: NodeJS.Timeout;
}

interface WaitingLease {
  readonly key: string;
  readonly resolve: (found: { readonly process: PythonProcess; readonly runs: number }) => void;
}

/**
 * Leases Python processes to runs. Some processes are ready before a run asks. After a run, its process is kept for the
 * next run of the same owner and flow version, for a while; it never serves another owner or flow version.
 */
export class PythonPool {
  readonly #settings: PoolSettings;
  readonly #logger: Logger;
  readonly #metrics: PoolMetrics;
  readonly #ready: PythonProcess[] = [];
  readonly #kept = new Set<KeptProcess>();
  readonly #waiting = new Set<WaitingLease>();
  #starting = 0;
  #leased = 0;
  #isClosed = false;
  #starter: ProcessStarter | null = null;

  private constructor({ settings, logger, metrics }: PoolOptions) {
    this.#settings = settings;
    this.#logger = logger;
    this.#metrics = createPoolMetrics(metrics, () => this.counts);
  }

  /** Starts Python. The pool can lease before Python is ready: leases wait. */
  static async open(options: PoolOptions): Promise<PythonPool> {
    const pool = new PythonPool(options);
    const { settings, logger } = options;
    pool.#starter = await ProcessStarter.open({ settings, logger, metrics: pool.#metrics }, () =>
      pool.#fill(),
    );
    return pool;
  }

  get counts(): Readonly<Record<ProcessState, number>> {
    return {
      starting: this.#starting,
      ready: this.#ready.length,
      leased: this.#leased,
      kept: this.#kept.size,
    };
  }

  /** The process id of the zygote. */
  get zygotePid(): number | undefined {
    return this.#starter?.zygotePid;
  }

  /**
   * Leases a process for one run. Rejects with a temporary MillraceError when none is free within the limit, and with
   * the signal's reason.
   */
  async lease(key: LeaseKey, signal: AbortSignal): Promise<ProcessLease> {
    signal.throwIfAborted();
    if (this.#isClosed) throw unavailable('Python is shutting down.');
    const started = performance.now();
    const text = JSON.stringify([key.ownerId, key.flowId, key.version]);
    const found = this.#takeKept(text) ?? this.#takeReady() ?? (await this.#wait(text, signal));
    this.#metrics.leaseWait.record((performance.now() - started) / 1000);
    return this.#leaseOf(found.process, text, found.runs + 1);
  }

  /** Ends all processes. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#kept) clearTimeout(timer);
    await this.#starter?.close();
    this.#ready.length = 0;
    this.#kept.clear();
  }

  #takeKept(key: string): { process: PythonProcess; runs: number } | null {
    for (const kept of this.#kept) {
      if (kept.key !== key) continue;
      this.#forget(kept);
      if (!kept.process.isUsable) continue;
      this.#leased += 1;
      this.#metrics.leases.add(1, { outcome: 'kept' });
      return kept;
    }
    return null;
  }

  #takeReady(): { process: PythonProcess; runs: number } | null {
    const process = this.#ready.shift();
    if (process === undefined) return null;
    this.#leased += 1;
    this.#metrics.leases.add(1, { outcome: 'ready' });
    this.#fill();
    return { process, runs: 0 };
  }

  #wait(key: string, signal: AbortSignal): Promise<{ process: PythonProcess; runs: number }> {
    if (this.#waiting.size >= maximumWaiting) {
      return Promise.reject(unavailable('Too many runs wait for a Python process.'));
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#waiting.delete(waiting);
      };
      const abort = (): void => {
        end();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        end();
        this.#metrics.leases.add(1, { outcome: 'timed_out' });
        reject(unavailable(this.#waitFailure()));
      }, this.#settings.limits.waitMilliseconds);
      const waiting: WaitingLease = {
        key,
        resolve: (found) => {
          end();
          this.#leased += 1;
          this.#metrics.leases.add(1, { outcome: 'waited' });
          resolve(found);
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', abort, { once: true });
      this.#makeRoom();
      this.#fill();
    });
  }

  #waitFailure(): string {
    const seconds = this.#settings.limits.waitMilliseconds / 1000;
    const reason = this.#starter?.failure ?? null;
    const cause = reason === null ? '' : ` Python does not start: ${reason}`;
    return `No Python process was free within ${seconds} s.${cause}`;
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
        if (isKept && !this.#isClosed) this.#keep(process, key, runs);
        else process.kill('its run has ended', 'recycled');
        this.#fill();
      },
    };
  }

  /** Decides by what the run left in the process: a request, a task or a thread could outlast it. */
  async #isReusable(process: PythonProcess, runs: number): Promise<boolean> {
    const { reuse, limits } = this.#settings;
    if (!process.isUsable || process.pending > 0 || reuse === 'never' || runs >= limits.maximumRuns)
      return false;
    try {
      const report = await withDeadline(process.reset(), resetMilliseconds, 'It did not reset in time.');
      return report.tasks === 0 && report.threads === 0 && report.bytes <= limits.maximumKeptBytes;
    } catch {
      return false;
    }
  }

  #keep(process: PythonProcess, key: string, runs: number): void {
    if (!process.isUsable) return;
    const next = [...this.#waiting].find((waiting) => waiting.key === key);
    if (next !== undefined) return next.resolve({ process, runs });
    const timer = setTimeout(() => this.#evict(kept), this.#settings.limits.keepMilliseconds);
    timer.unref();
    const kept: KeptProcess = { process, key, runs, timer };
    this.#kept.add(kept);
    this.#makeRoom();
  }

  #evict(kept: KeptProcess): void {
    this.#forget(kept);
    kept.process.kill('it was kept long enough', 'recycled');
  }

  #forget(kept: KeptProcess): void {
    clearTimeout(kept.timer);
    this.#kept.delete(kept);
  }

  get #total(): number {
    return this.#starting + this.#ready.length + this.#leased + this.#kept.size;
  }

  /** Ends the processes that were kept first, as many as waiting runs need. */
  #makeRoom(): void {
    for (const kept of this.#kept) {
      const free = this.#settings.maximumProcesses - this.#total;
      if (free + this.#starting >= this.#waiting.size) return;
      this.#evict(kept);
    }
  }

  /** Starts processes for the runs that wait and for the next ones. */
  #fill(): void {
    const { readyProcesses, maximumProcesses } = this.#settings;
    while (
      !this.#isClosed &&
      this.#starter?.isReady === true &&
      this.#total < maximumProcesses &&
      this.#starting + this.#ready.length < readyProcesses + this.#waiting.size
    ) {
      this.#starting += 1;
      void this.#startOne(this.#starter);
    }
  }

  async #startOne(starter: ProcessStarter): Promise<void> {
    try {
      const process = await starter.start();
      this.#starting -= 1;
      void process.ended.then(() => this.#processEnded(process));
      this.#offer(process);
    } catch (error) {
      this.#starting -= 1;
      if (this.#isClosed) return;
      this.#logger.warn({ err: error }, 'A Python process did not start');
      setTimeout(() => this.#fill(), retryMilliseconds).unref();
    }
  }

  #offer(process: PythonProcess): void {
    const [next] = this.#waiting;
    if (this.#isClosed) process.kill('Python is shutting down', 'recycled');
    else if (next !== undefined) next.resolve({ process, runs: 0 });
    else this.#ready.push(process);
    this.#fill();
  }

  #processEnded(process: PythonProcess): void {
    this.#metrics.processEnds.add(1, { reason: process.endReason });
    const index = this.#ready.indexOf(process);
    if (index !== -1) this.#ready.splice(index, 1);
    for (const kept of this.#kept) if (kept.process === process) this.#forget(kept);
    this.#fill();
  }
}

/** Returns an error that is not the flow's fault: another attempt can succeed. */
function unavailable(message: string): MillraceError {
  return new MillraceError('component_failed', message, { permanent: false });
}
