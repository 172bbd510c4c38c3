import { newTriggerEvent } from '@millrace/dispatch';
import type { RunPublisher } from '@millrace/dispatch';
import type { FiredSchedules, FiringSchedule, NewTriggerEvent, TriggerEventStore } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';
import type { Logger } from '@millrace/service';

const TICK_MILLISECONDS = 1_000;
/** Ticks between two looks while no schedule is active. */
const IDLE_TICKS = 2;
const MAXIMUM_SCHEDULES = 200;
/** Pause while another process fires the schedules that are due. */
const LOCKED_MILLISECONDS = 50;

export interface ScheduleClockDependencies {
  readonly triggerEvents: Pick<TriggerEventStore, 'fire' | 'timeToNext'>;
  readonly publisher: RunPublisher;
  readonly logger: Logger;
  readonly pythonPool: string | null;
  readonly publishedRunsPerUser: number;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  /** Maximum time between two looks for due schedules; default one second. */
  readonly scheduleIntervalMilliseconds?: number | undefined;
  onFired(fired: FiredSchedules): void;
  /** Called when runs enter the backlog. */
  onBacklogged(): void;
}

/**
 * Fires schedules: looks for due ones once a second, every two seconds while none is active, and at the time of the next
 * one. Any number of processes can run it; each occurrence has one run, whichever of them stores it.
 */
export class ScheduleClock {
  readonly #dependencies: ScheduleClockDependencies;
  readonly #tickMilliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #firing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(dependencies: ScheduleClockDependencies) {
    this.#dependencies = dependencies;
    this.#tickMilliseconds = dependencies.scheduleIntervalMilliseconds ?? TICK_MILLISECONDS;
  }

  start(): void {
    this.#schedule(this.#tickMilliseconds);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#firing;
  }

  #schedule(milliseconds: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#firing = this.#fire().then((pause) => this.#schedule(pause));
    }, milliseconds);
  }

  /** Resolves to the pause before the next look, in milliseconds. While no schedule is due, a look is one query. */
  async #fire(): Promise<number> {
    const { triggerEvents, publisher, logger, onFired, onBacklogged, publishedRunsPerUser, pythonPool } =
      this.#dependencies;
    try {
      const next = await triggerEvents.timeToNext();
      if (next === null) return IDLE_TICKS * this.#tickMilliseconds;
      if (next > 0) return Math.min(this.#tickMilliseconds, Math.ceil(next));
      const fired = await triggerEvents.fire({
        limit: MAXIMUM_SCHEDULES,
        publishedPerUser: publishedRunsPerUser,
        pythonPool,
        eventOf: (firing) => this.#eventOf(firing),
      });
      onFired(fired);
      if (fired.waiting > 0) onBacklogged();
      for (const run of fired.runs) void publisher.publishNew(run);
      return fired.inspected === 0 ? LOCKED_MILLISECONDS : 0;
    } catch (error) {
      logger.warn({ error }, 'schedules could not be fired; they will be retried');
      return this.#tickMilliseconds;
    }
  }

  #eventOf({ trigger, flow, firing }: FiringSchedule): NewTriggerEvent {
    const { backgroundLimitMilliseconds, maximumAttempts } = this.#dependencies;
    const scheduledFor = new Date(firing.occurrence).toISOString();
    return newTriggerEvent({
      id: uuidv7(),
      trigger,
      flow,
      dedupeKey: `schedule:${scheduledFor}`,
      payload: JSON.stringify({ scheduled_for: scheduledFor, missed: firing.missed }),
      delivery: null,
      requestId: null,
      limitMilliseconds: backgroundLimitMilliseconds,
      maximumAttempts,
    });
  }
}
