import type { ExecutorParts } from './executor-parts';
import { workerKey } from './worker-state';
import type { WorkerState } from './worker-state';

const TTL_MILLISECONDS = 15_000;
/** How often an executor without a connection to the broker says that it lives. */
const AWAY_INTERVAL_MILLISECONDS = 500;

export type WorkerAnnouncementDependencies = Pick<
  ExecutorParts,
  'bus' | 'keyValue' | 'worker' | 'pool' | 'concurrency' | 'running' | 'version' | 'clock'
>;

/**
 * Shows this executor in the key-value store, for as long as that is renewed. When it loses its connection to the broker
 * it says so at once, since others would take that for its death.
 */
export class WorkerAnnouncement {
  readonly #dependencies: WorkerAnnouncementDependencies;
  #endStateWatch: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: WorkerAnnouncementDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves when it has been said once, or cannot be. */
  async open(): Promise<void> {
    this.#endStateWatch = this.#dependencies.bus.onStateChange(() => this.#stateChanged());
    await this.say();
  }

  /** Never rejects: the key-value store may be away. */
  async say(): Promise<void> {
    const { keyValue, worker, pool, concurrency, running, version, clock } = this.#dependencies;
    const state: WorkerState = {
      worker,
      pool,
      concurrency,
      version,
      inHand: running.size,
      seenAt: new Date(clock.now()).toISOString(),
      answers: true,
      isAway: this.#isAway,
    };
    await keyValue
      .set(workerKey(worker), JSON.stringify(state), { ttlMilliseconds: TTL_MILLISECONDS })
      .catch(() => undefined);
  }

  /** It stops in order, and has no runs any more. */
  async close(): Promise<void> {
    this.#endStateWatch();
    clearInterval(this.#timer);
    const { keyValue, worker } = this.#dependencies;
    await keyValue.delete([workerKey(worker)]).catch(() => undefined);
  }

  get #isAway(): boolean {
    const { state } = this.#dependencies.bus;
    return state !== 'connected' && state !== 'blocked';
  }

  #stateChanged(): void {
    clearInterval(this.#timer);
    void this.say();
    if (!this.#isAway) return;
    this.#timer = setInterval(() => void this.say(), AWAY_INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }
}
