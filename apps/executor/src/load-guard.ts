import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ELDHistogram } from 'node:perf_hooks';
import type { Logger, Metrics } from '@millrace/service';
import { nextSlotLimit } from './next-slot-limit';
import type { Slots } from './slots';

const RESOLUTION_MILLISECONDS = 20;
const LOOK_MILLISECONDS = 1_000;

export interface LoadGuardOptions {
  readonly slots: Slots;
  /** How long the event loop may be late before fewer runs are taken in. */
  readonly maximumLagMilliseconds: number;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Measures how late the event loop is, every second, and takes in fewer runs at a time while it is too late: what one
 * run computes all others of the process wait for.
 */
export class LoadGuard {
  readonly #options: LoadGuardOptions;
  readonly #delays: ELDHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS });
  #timer: NodeJS.Timeout | undefined;
  #lagMilliseconds = 0;

  constructor(options: LoadGuardOptions) {
    this.#options = options;
    const { metrics, slots } = options;
    metrics.gauge(
      'millrace_event_loop_lag_seconds',
      'The longest delay of the event loop in the last second',
      () => this.#lagMilliseconds / 1_000,
    );
    metrics.gauge('millrace_executor_slots', 'Runs taken in at a time', () => slots.limit);
  }

  start(): void {
    this.#delays.enable();
    this.#timer = setInterval(() => this.#look(), LOOK_MILLISECONDS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delays.disable();
  }

  #look(): void {
    const { slots, maximumLagMilliseconds, logger } = this.#options;
    this.#lagMilliseconds = Math.max(0, this.#delays.max / 1e6 - RESOLUTION_MILLISECONDS);
    this.#delays.reset();
    const { limit, size } = slots;
    const lagMilliseconds = Math.round(this.#lagMilliseconds);
    const next = nextSlotLimit({ limit, size, lagMilliseconds, maximumLagMilliseconds });
    if (next === limit) return;
    slots.limit = next;
    if (limit === size)
      logger.warn({ lagMilliseconds, slots: next }, 'the event loop is late: fewer runs are taken in');
    else if (next === size) logger.info({ slots: next }, 'the event loop is on time again');
  }
}
