import type { Database } from '@millrace/database';
import { isLockTimeout } from '../lock-timeout';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { acceptEvents } from './accept-events';
import type { AcceptEventsOptions } from './accept-events';
import { fireSchedules, timeToNextSchedule } from './fire-schedules';
import type { FiredSchedules, FireOptions } from './fire-schedules';
import type { EventAcceptance, NewTriggerEvent } from './trigger-event-record';

export interface TriggerEventStoreOptions {
  readonly database: Database;
  readonly seal: AcceptEventsOptions['seal'];
}

/** Stores the events of triggers: each with its run, in one statement. */
export class TriggerEventStore {
  readonly #options: TriggerEventStoreOptions;

  constructor(options: TriggerEventStoreOptions) {
    this.#options = options;
  }

  /** Accepts events of any triggers. Resolves to one acceptance per event, in order. */
  async accept(
    events: readonly NewTriggerEvent[],
    { publishedPerUser }: Pick<AcceptEventsOptions, 'publishedPerUser'>,
  ): Promise<EventAcceptance[]> {
    const { database, seal } = this.#options;
    const accept = (skipsLocked: boolean) =>
      retryOnDeadlock(() => acceptEvents(database, events, { seal, publishedPerUser, skipsLocked }));
    try {
      return await accept(false);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      return accept(true);
    }
  }

  /** See `fireSchedules`. */
  async fire(options: Omit<FireOptions, 'seal'>): Promise<FiredSchedules> {
    return fireSchedules(this.#options.database, { ...options, seal: this.#options.seal });
  }

  /** Resolves to the time until the next schedule fires, in milliseconds; null when none waits. */
  async timeToNext(): Promise<number | null> {
    return timeToNextSchedule(this.#options.database);
  }
}
