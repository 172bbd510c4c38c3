import type { BrokerNames } from '@millrace/messages';
import type { MessageBus } from '@millrace/messaging';
import { isCountDue } from '@millrace/runs';
import type { BacklogCount, LaneState, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

const TICK_SHARE = 1 / 2;

export interface BacklogMeterOptions {
  readonly runs: Pick<RunStore, 'backlogCount' | 'countBacklogs' | 'storeLanes'>;
  readonly bus: Pick<MessageBus, 'queueStatus' | 'state'>;
  readonly names: BrokerNames;
  readonly logger: Logger;
  /** Pools that are counted although no flow names them. */
  readonly pools: readonly string[];
  readonly intervalMilliseconds: number;
}

/**
 * Counts the runs that no executor has begun, in the database and on the broker. Of all processes that have a meter one
 * counts at a time, and all read its count.
 */
export class BacklogMeter {
  readonly #options: BacklogMeterOptions;
  #timer: NodeJS.Timeout | undefined;
  #measuring: Promise<unknown> | null = null;
  #latest: { readonly count: BacklogCount; readonly readAt: number } | null = null;

  constructor(options: BacklogMeterOptions) {
    this.#options = options;
  }

  /** Starts to count or read at the interval. */
  start(): void {
    this.#timer = setInterval(() => {
      if (this.#measuring) return;
      this.#measuring = this.measure()
        .catch((error: unknown) =>
          this.#options.logger.warn({ error }, 'the backlog could not be counted; it will be retried'),
        )
        .finally(() => (this.#measuring = null));
    }, this.#options.intervalMilliseconds * TICK_SHARE);
    this.#timer.unref();
  }

  /** The count that was read last, with its present age; null when there is none of the last five intervals. */
  get latest(): BacklogCount | null {
    if (this.#latest === null) return null;
    const { count, readAt } = this.#latest;
    const ageMilliseconds = count.ageMilliseconds + performance.now() - readAt;
    return isCountDue({ ...count, ageMilliseconds }, this.#options.intervalMilliseconds * 5)
      ? null
      : { ...count, ageMilliseconds };
  }

  /** Reads the newest count, after counting if that is due. Rejects when the database is unavailable. */
  async measure(): Promise<BacklogCount | null> {
    const { runs, intervalMilliseconds } = this.#options;
    let count = await runs.backlogCount();
    if (isCountDue(count, intervalMilliseconds)) {
      const pools = await runs.countBacklogs(this.#options);
      if (pools) await this.#readLanes(pools.map(({ pool }) => pool));
      count = await runs.backlogCount();
    }
    this.#latest = count === null ? null : { count, readAt: performance.now() };
    return count;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#measuring;
  }

  /** Stores the state of all lanes. A lane that does not exist or does not respond has none. */
  async #readLanes(pools: readonly string[]): Promise<void> {
    const { bus, names, runs } = this.#options;
    if (bus.state !== 'connected') return;
    const queues = [
      { pool: '', lane: 'quarantine', queue: names.quarantineQueue } as const,
      { pool: '', lane: 'dead', queue: names.deadQueue } as const,
      ...pools.flatMap((pool) => [
        { pool, lane: 'interactive', queue: names.lane('interactive', pool) } as const,
        { pool, lane: 'background', queue: names.lane('background', pool) } as const,
        { pool, lane: 'standby', queue: names.standbyLane(pool) } as const,
      ]),
    ];
    const states = await Promise.all(
      queues.map(async ({ queue, pool, lane }): Promise<LaneState[]> => {
        const status = await bus.queueStatus(queue).catch(() => null);
        return status === null
          ? []
          : [{ pool, lane, messages: status.messages, executors: status.consumers }];
      }),
    );
    await runs.storeLanes(states.flat());
  }
}
