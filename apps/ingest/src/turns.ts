import type { MessageBus } from '@millrace/messaging';
import type { RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { LONGEST_PAUSE_MILLISECONDS, nextPause } from './next-pause';
import type { RunPublisher } from './run-publisher';

/** How soon to look again while no run waits: another process may have let them in. */
const IDLE_MILLISECONDS = 1_000;
const MAXIMUM_RUNS_AT_ONCE = 1_000;

export interface TurnsDependencies {
  readonly runs: RunStore;
  readonly bus: MessageBus;
  readonly publisher: RunPublisher;
  readonly logger: Logger;
  /** Runs of one user in one pool that may be published and not yet begun. */
  readonly ahead: number;
  /** How soon to look again while no run waits; a second unless given. */
  readonly idleMilliseconds?: number | undefined;
}

/** Publishes the runs that wait for their turn as others end. Any number may do so; one at a time does. */
export class Turns {
  readonly #dependencies: TurnsDependencies;
  readonly #idleMilliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #advancing: Promise<void> = Promise.resolve();
  #busyMilliseconds = LONGEST_PAUSE_MILLISECONDS;
  #isHurried = false;
  #isClosed = false;

  constructor(dependencies: TurnsDependencies) {
    this.#dependencies = dependencies;
    this.#idleMilliseconds = dependencies.idleMilliseconds ?? IDLE_MILLISECONDS;
  }

  start(): void {
    this.#waitFor(this.#idleMilliseconds);
  }

  /** A run waits: no reason to look later than soon. */
  hurry(): void {
    if (this.#isHurried) return;
    this.#isHurried = true;
    if (this.#timer) this.#waitFor(this.#busyMilliseconds);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#advancing;
  }

  #waitFor(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#advancing = this.#advance().then((isBusy) =>
        this.#waitFor(isBusy ? this.#busyMilliseconds : this.#idleMilliseconds),
      );
    }, milliseconds);
  }

  /** Resolves to whether more runs wait. */
  async #advance(): Promise<boolean> {
    const { runs, bus, publisher, logger, ahead } = this.#dependencies;
    this.#isHurried = false;
    if (bus.state !== 'connected') return false;
    try {
      const going = await runs.advance({ ahead, limit: MAXIMUM_RUNS_AT_ONCE });
      this.#busyMilliseconds = nextPause({
        gone: going.runs.length,
        most: ahead > 0 ? ahead : MAXIMUM_RUNS_AT_ONCE,
        pauseMilliseconds: this.#busyMilliseconds,
      });
      await Promise.all(going.runs.map((run) => publisher.publish(run)));
      return going.isMoreWaiting || this.#isHurried;
    } catch (error) {
      logger.warn({ error }, 'runs that wait for their turn could not be let go');
      return false;
    }
  }
}
