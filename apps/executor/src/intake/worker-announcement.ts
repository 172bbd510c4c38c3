import { READABLE_JOB_VERSIONS } from '@millrace/messages';
import { PythonAnnouncement, workerKey } from '@millrace/dispatch';
import type { AnnouncedPython, PythonSummary, WorkerState } from '@millrace/dispatch';
import type { KeyValueStore } from '@millrace/key-value';
import type { MessageBus } from '@millrace/messaging';
import type { Logger, SharedClock } from '@millrace/service';
import type { ExecutorPython } from '../attempts/python/executor-python';
import type { RunningAttempts } from '../attempts/running-attempts';

const TTL_MILLISECONDS = 15_000;
/** How often an executor without a broker connection reports that it is alive. */
const AWAY_INTERVAL_MILLISECONDS = 500;

export interface WorkerAnnouncementDependencies {
  readonly bus: MessageBus;
  readonly keyValue: KeyValueStore;
  readonly worker: string;
  readonly pool: string;
  readonly concurrency: number;
  /** How many deliveries of interactive jobs it takes at once. */
  readonly prefetch: number;
  readonly version: string;
  readonly running: Pick<RunningAttempts, 'size'>;
  readonly clock: SharedClock;
  readonly logger: Logger;
  /** Absent when nothing runs in Python. */
  readonly python?: Pick<ExecutorPython, 'announced'> | undefined;
}

/**
 * Announces this executor, and the Python of its pool, in the key-value store; the entries expire unless they are
 * renewed. When the executor loses its connection to the broker, it reports that at once, because other executors would
 * assume a crash.
 */
export class WorkerAnnouncement {
  readonly #dependencies: WorkerAnnouncementDependencies;
  readonly #python: PythonAnnouncement;
  #endStateWatch: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: WorkerAnnouncementDependencies) {
    this.#dependencies = dependencies;
    this.#python = new PythonAnnouncement(dependencies);
  }

  /** Resolves when the first announcement has been written or has failed. */
  async open(): Promise<void> {
    this.#endStateWatch = this.#dependencies.bus.onStateChange(() => this.#stateChanged());
    await this.write();
  }

  /** Writes the announcement. Never rejects: the key-value store may be unavailable. */
  async write(): Promise<void> {
    const { keyValue, worker, pool, concurrency, prefetch, running, version, clock, python } =
      this.#dependencies;
    const announced = python?.announced?.() ?? null;
    const state: WorkerState = {
      worker,
      pool,
      concurrency,
      version,
      inHand: running.size,
      seenAt: new Date(clock.now()).toISOString(),
      answers: true,
      jobVersions: READABLE_JOB_VERSIONS,
      takesJobs: prefetch,
      isAway: this.#isDisconnected,
      ...(announced === null ? {} : { python: summaryOf(announced) }),
    };
    await keyValue
      .set(workerKey(worker), JSON.stringify(state), { ttlMilliseconds: TTL_MILLISECONDS })
      .catch(() => undefined);
    if (announced !== null) await this.#python.write(pool, announced);
  }

  /** Removes the announcement; the executor stops gracefully and has no runs any more. */
  async close(): Promise<void> {
    this.#endStateWatch();
    clearInterval(this.#timer);
    const { keyValue, worker } = this.#dependencies;
    await keyValue.delete([workerKey(worker)]).catch(() => undefined);
  }

  get #isDisconnected(): boolean {
    const { state } = this.#dependencies.bus;
    return state !== 'connected' && state !== 'blocked';
  }

  #stateChanged(): void {
    clearInterval(this.#timer);
    void this.write();
    if (!this.#isDisconnected) return;
    this.#timer = setInterval(() => void this.write(), AWAY_INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }
}

function summaryOf({ python, lfx, packageSet, seal }: AnnouncedPython): PythonSummary {
  return { python, lfx, packageSet, seal };
}
