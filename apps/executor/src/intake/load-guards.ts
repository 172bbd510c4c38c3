import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ELDHistogram, EventLoopUtilization } from 'node:perf_hooks';
import type { Logger, Metrics } from '@millrace/service';
import type { Slots } from '../attempts/running-attempts';

const RESOLUTION_MILLISECONDS = 20;
const LAG_INTERVAL_MILLISECONDS = 1_000;

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
    this.#timer = setInterval(() => this.#measure(), LAG_INTERVAL_MILLISECONDS);
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

const UTILIZATION_INTERVAL_MILLISECONDS = 100;
/** How long after a run with a waiting caller the next one is expected. */
const CALLERS_MILLISECONDS = 1_000;
/** The share of time in which the event loop is busy, from which a caller's run waits for background runs. */
const BUSY = 0.6;
const CALM = 0.4;
const MINIMUM_SLOTS = 2;

export interface BackgroundGuardOptions {
  readonly slots: Slots;
  readonly metrics: Metrics;
}

/**
 * Lowers the number of concurrent background runs while callers wait and the event loop is busy: ten times a second, because a
 * caller notices a tenth of a second. Background runs that wait for models leave the event loop idle, and stay as many as they are.
 */
export class BackgroundGuard {
  readonly #slots: Slots;
  #timer: NodeJS.Timeout | undefined;
  #utilization: EventLoopUtilization = performance.eventLoopUtilization();
  #callersServed = 0;
  #lastCallerAt = -Infinity;

  constructor({ slots, metrics }: BackgroundGuardOptions) {
    this.#slots = slots;
    metrics.gauge(
      'millrace_executor_background_slots',
      'Current maximum number of concurrent background runs',
      () => Math.min(slots.backgroundLimit, slots.limit),
    );
  }

  start(): void {
    this.#timer = setInterval(() => this.#measure(), UTILIZATION_INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #measure(): void {
    const slots = this.#slots;
    const now = performance.now();
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(this.#utilization, before);
    if (slots.callersServed !== this.#callersServed) this.#lastCallerAt = now;
    this.#callersServed = slots.callersServed;
    const next = nextBackgroundLimit({
      limit: slots.backgroundLimit,
      size: slots.size,
      utilization,
      hasCallers: now - this.#lastCallerAt < CALLERS_MILLISECONDS,
    });
    if (next !== slots.backgroundLimit) slots.backgroundLimit = next;
  }
}

/** The state that determines the next limit of concurrent background runs. */
interface BackgroundLimit {
  readonly limit: number;
  /** The configured maximum of all runs. */
  readonly size: number;
  /** The share of time in which the event loop was busy, from 0 to 1. */
  readonly utilization: number;
  readonly hasCallers: boolean;
}

/** Returns the next limit: a third less while callers wait for a busy event loop, a quarter more while it is calm. */
export function nextBackgroundLimit({ limit, size, utilization, hasCallers }: BackgroundLimit): number {
  if (!hasCallers) return size;
  if (utilization > BUSY) return Math.min(size, Math.max(MINIMUM_SLOTS, Math.floor((limit * 2) / 3)));
  if (utilization > CALM) return limit;
  return Math.min(size, Math.ceil(limit * 1.25));
}
