import type { MessageBus } from '@millrace/messaging';
import type { RunStore, ShareRunLimits } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { MAXIMUM_PAUSE_MILLISECONDS, nextPause } from './next-pause';
import type { RunPublisher } from '@millrace/dispatch';

/** Interval while no backlog is known: another process can have accepted runs. */
const IDLE_MILLISECONDS = 1_000;
const MAXIMUM_RUNS_AT_ONCE = 1_000;

export interface FairSchedulerDependencies {
  readonly runs: Pick<RunStore, 'releaseBacklog'>;
  readonly bus: Pick<MessageBus, 'state'>;
  readonly publisher: Pick<RunPublisher, 'publish'>;
  readonly logger: Logger;
  /** Maximum number of runs of one user in one pool that are published and not yet started. */
  readonly publishedPerUser: number;
  /** Shares limits of concurrent runs with waiting callers. */
  readonly share: ShareRunLimits;
  /** Interval while no backlog is known; default one second. */
  readonly idleMilliseconds?: number | undefined;
}

/**
 * Releases backlog runs as earlier runs start or end, each user up to its share. Any number of processes can run it;
 * one is active at a time.
 */
export class FairScheduler {
  readonly #dependencies: FairSchedulerDependencies;
  readonly #idleMilliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #releasing: Promise<void> = Promise.resolve();
  #busyMilliseconds = MAXIMUM_PAUSE_MILLISECONDS;
  #isWoken = false;
  #isClosed = false;

  constructor(dependencies: FairSchedulerDependencies) {
    this.#dependencies = dependencies;
    this.#idleMilliseconds = dependencies.idleMilliseconds ?? IDLE_MILLISECONDS;
  }

  start(): void {
    this.#schedule(this.#idleMilliseconds);
  }

  /** Wakes the scheduler early, because a run entered the backlog. */
  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    if (this.#timer) this.#schedule(this.#busyMilliseconds);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#releasing;
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#releasing = this.#release().then((hasBacklog) =>
        this.#schedule(hasBacklog ? this.#busyMilliseconds : this.#idleMilliseconds),
      );
    }, milliseconds);
  }

  /** Resolves to true when more runs remain in the backlog. */
  async #release(): Promise<boolean> {
    const { runs, bus, publisher, logger, publishedPerUser, share } = this.#dependencies;
    this.#isWoken = false;
    if (bus.state !== 'connected') return false;
    try {
      const released = await runs.releaseBacklog({ publishedPerUser, limit: MAXIMUM_RUNS_AT_ONCE, share });
      this.#busyMilliseconds = nextPause({
        released: released.runs.length,
        limit: publishedPerUser > 0 ? publishedPerUser : MAXIMUM_RUNS_AT_ONCE,
        pauseMilliseconds: this.#busyMilliseconds,
      });
      await Promise.all(released.runs.map((run) => publisher.publish(run)));
      return released.hasMore || this.#isWoken;
    } catch (error) {
      logger.warn({ error }, 'backlog runs could not be released; they will be retried');
      return false;
    }
  }
}
