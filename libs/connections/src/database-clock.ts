import type { Database } from '@millrace/database';
import { machineTime } from '@millrace/service';
import type { Health, Logger, Metrics, SharedClock } from '@millrace/service';

const INTERVAL_MILLISECONDS = 15_000;
/** Samples per comparison; the one with the shortest response time is used. */
const SAMPLES = 3;
/** A sample with a longer response time is used only if it contradicts the estimate. */
const MAXIMUM_PRECISE_MILLISECONDS = 100;
/** The clocks differ above the first threshold, and agree again below the second. */
const SKEWED_MILLISECONDS = 5_000;
const AGREEING_MILLISECONDS = 2_500;
const CHECK_TIMEOUT_MILLISECONDS = 1_000;

const NOW = {
  name: 'clock-now',
  text: `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS milliseconds`,
};

export interface DatabaseClockOptions {
  readonly database: Database;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  /** The clock of this machine, in milliseconds since the epoch; machineTime by default. */
  readonly machineClock?: () => number;
}

/** The result of one query of the database's time. */
interface Sample {
  /** Milliseconds since the epoch by the database's clock, at 0 of this process' monotonic clock. */
  readonly origin: number;
  /** Response time: the error of the origin is at most half of it. */
  readonly milliseconds: number;
}

/**
 * The database's clock: the monotonic clock of this process plus an offset that is measured every 15 seconds. A step of
 * the machine's clock does not affect it. While the database is unavailable, the last offset is used.
 *
 * The difference between the machine's clock and the database's is reported as the gauge `millrace_clock_skew_seconds`
 * (positive when the machine's clock is ahead), as the check `clock` of `/readyz`, and as one log line whenever the
 * clocks begin to differ by more than five seconds, or agree again.
 */
export class DatabaseClock implements SharedClock {
  readonly #options: DatabaseClockOptions;
  readonly #machineClock: () => number;
  readonly #failed: (count: number) => void;
  #measured: Sample | null = null;
  #timer: NodeJS.Timeout | undefined;
  #measuring: Promise<void> | null = null;
  #isSkewed = false;
  #isFailing = false;

  constructor(options: DatabaseClockOptions) {
    this.#options = options;
    this.#machineClock = options.machineClock ?? machineTime;
    const { metrics, health } = options;
    metrics.gauge(
      'millrace_clock_skew_seconds',
      "How far this machine's clock is ahead of the database's",
      () => (this.#measured === null ? [] : [[this.skewMilliseconds / 1_000, {}]]),
    );
    const failures = metrics.counter(
      'millrace_clock_comparisons_failed_total',
      "Comparisons with the database's clock that failed",
    );
    this.#failed = (count) => failures.add(count);
    const timeoutMilliseconds = CHECK_TIMEOUT_MILLISECONDS;
    health.add('clock', () => this.#check(), { timeoutMilliseconds, isNeeded: false });
  }

  get isShared(): boolean {
    return this.#measured !== null;
  }

  now(): number {
    return this.#measured === null ? this.#machineClock() : this.#measured.origin + performance.now();
  }

  /** How far the machine's clock is ahead of the database's; 0 before the first measurement. */
  get skewMilliseconds(): number {
    return this.#measured === null ? 0 : this.#machineClock() - this.now();
  }

  /** Compares the clocks now, and then every 15 seconds. Never rejects. */
  async start(): Promise<void> {
    await this.measure();
    this.#timer = setInterval(() => {
      // The next comparison starts only after the previous one has ended.
      this.#measuring ??= this.measure().finally(() => {
        this.#measuring = null;
      });
    }, INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }

  /** Compares the clocks once. Never rejects: if it fails, the last comparison is used. */
  async measure(): Promise<void> {
    try {
      let best = await this.#sample();
      for (let count = 1; count < SAMPLES; count += 1) {
        const sample = await this.#sample();
        if (sample.milliseconds < best.milliseconds) best = sample;
      }
      this.#correct(best);
      this.#isFailing = false;
    } catch (error) {
      this.#failed(1);
      const what = "the machine's clock could not be compared with the database's";
      if (!this.#isFailing) this.#options.logger.warn({ error, isKnown: this.isShared }, what);
      this.#isFailing = true;
    }
    this.#logSkew();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#measuring;
  }

  async #sample(): Promise<Sample> {
    const asked = performance.now();
    const { rows } = await this.#options.database.query<{ milliseconds: number }>(NOW);
    const answered = performance.now();
    const [row] = rows;
    if (row === undefined) throw new Error('the database returned no time');
    return { origin: row.milliseconds - (asked + answered) / 2, milliseconds: answered - asked };
  }

  #correct(sample: Sample): void {
    const known = this.#measured;
    const mayBeTheSame =
      known !== null &&
      Math.abs(known.origin - sample.origin) <= (known.milliseconds + sample.milliseconds) / 2;
    if (mayBeTheSame && sample.milliseconds > MAXIMUM_PRECISE_MILLISECONDS) return;
    this.#measured = sample;
  }

  /** Logs one line when the clocks begin to differ, and one when they agree again. */
  #logSkew(): void {
    const skew = Math.abs(this.skewMilliseconds);
    const isSkewed = skew > (this.#isSkewed ? AGREEING_MILLISECONDS : SKEWED_MILLISECONDS);
    if (isSkewed === this.#isSkewed) return;
    this.#isSkewed = isSkewed;
    const fields = { skewSeconds: this.#skewSeconds() };
    const { logger } = this.#options;
    if (isSkewed) logger.warn(fields, "the machine's clock differs from the database's");
    else logger.info(fields, "the machine's clock agrees with the database's again");
  }

  async #check(): Promise<void> {
    if (!this.#isSkewed) return;
    const seconds = this.#skewSeconds();
    const place = seconds > 0 ? 'ahead of' : 'behind';
    throw new Error(`this machine's clock is ${Math.abs(seconds)} s ${place} the database's`);
  }

  #skewSeconds(): number {
    return Math.round(this.skewMilliseconds) / 1_000;
  }
}
