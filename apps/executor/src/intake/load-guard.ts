import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ELDHistogram } from 'node:perf_hooks';
import type { Logger, Metrics } from '@millrace/service';
import type { Slots } from '../attempts/slots';

const RESOLUTION_MILLISECONDS = 20;
const MEASURE_INTERVAL_MILLISECONDS = 1_000;

export interface LoadGuardOptions {
  readonly slots: Slots;
  /** Maximum lag of the event loop before fewer runs are accepted. */
  readonly maximumLagMilliseconds: number;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/**
 * Measures the lag of the event loop every second, and lowers the number of concurrent runs while the lag is too high,
 * because the computation of one run blocks all other runs of the process.
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
      'Maximum lag of the event loop in the last second',
      () => this.#lagMilliseconds / 1_000,
    );
    metrics.gauge('millrace_executor_slots', 'Current maximum number of concurrent runs', () => slots.limit);
  }

  start(): void {
    this.#delays.enable();
    this.#timer = setInterval(() => this.#measure(), MEASURE_INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delays.disable();
  }

  #measure(): void {
    const { slots, maximumLagMilliseconds, logger } = this.#options;
    this.#lagMilliseconds = Math.max(0, this.#delays.max / 1e6 - RESOLUTION_MILLISECONDS);
    this.#delays.reset();
    const { limit, size } = slots;
    const lagMilliseconds = Math.round(this.#lagMilliseconds);
    const next = nextSlotLimit({ limit, size, lagMilliseconds, maximumLagMilliseconds });
    if (next === limit) return;
    slots.limit = next;
    if (limit === size)
      logger.warn({ lagMilliseconds, slots: next }, 'event loop lag too high; running fewer runs at a time');
    else if (next === size) logger.info({ slots: next }, 'event loop lag back to normal');
  }
}

/** The state that determines the next limit of concurrent runs. */
interface SlotLimit {
  readonly limit: number;
  /** The configured maximum. */
  readonly size: number;
  readonly lagMilliseconds: number;
  readonly maximumLagMilliseconds: number;
}

/**
 * Returns the next limit: half of it when the lag was too high, a quarter more when the lag was at most half of the
 * maximum.
 */
export function nextSlotLimit({ limit, size, lagMilliseconds, maximumLagMilliseconds }: SlotLimit): number {
  if (lagMilliseconds > maximumLagMilliseconds) return Math.max(1, Math.floor(limit / 2));
  if (lagMilliseconds > maximumLagMilliseconds / 2) return limit;
  return Math.min(size, Math.ceil(limit * 1.25));
}
