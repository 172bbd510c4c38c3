import type { Database } from '@millrace/database';
import type { Health, Logger, Metrics, SharedClock } from '@millrace/service';

const INTERVAL_MILLISECONDS = 15_000;
/** One comparison: the quickest of so many answers says most. */
const SAMPLES = 3;
/** A slower answer than this corrects the estimate only if it contradicts it. */
const PRECISE_MILLISECONDS = 100;
/** Beyond this the clocks differ, until the difference is below the second figure. */
const WARN_MILLISECONDS = 5_000;
const WELL_MILLISECONDS = 2_500;
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
  /** The clock of this machine, in milliseconds since the epoch; Date.now unless given. */
  readonly machineClock?: () => number;
}

/** What one question to the database says. */
interface Sample {
  /** Milliseconds since the epoch by the database's clock, at 0 of this process' monotonic clock. */
  readonly origin: number;
  /** How long the answer took: the origin is wrong by half of it at most. */
  readonly milliseconds: number;
}

/**
 * The database's clock, as this process knows it: its monotonic clock plus an offset that is measured every 15 seconds.
 * A step of the machine's clock does not move it. While the database is away the last offset holds.
 *
 * The difference between the machine's clock and the database's is the gauge `millrace_clock_skew_seconds` (positive when
 * the machine's is ahead), the check `clock` of `/readyz`, and one line in the log whenever it becomes more than five
 * seconds or less again.
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
    this.#machineClock = options.machineClock ?? Date.now;
    const { metrics, health } = options;
    metrics.gauge(
      'millrace_clock_skew_seconds',
      "How far this machine's clock is ahead of the database's",
      () => (this.#measured === null ? [] : [[this.skewMilliseconds / 1_000, {}]]),
    );
    const failures = metrics.counter(
      'millrace_clock_comparisons_failed_total',
      "Comparisons with the database's clock that had no answer",
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

  /** How far the machine's clock is ahead of the database's; 0 while it has not been measured. */
  get skewMilliseconds(): number {
    return this.#measured === null ? 0 : this.#machineClock() - this.now();
  }

  /** Compares the clocks now, and then every 15 seconds. Never rejects. */
  async start(): Promise<void> {
    await this.measure();
    this.#timer = setInterval(() => {
      // A database that answers slowly is not asked again before it has answered.
      this.#measuring ??= this.measure().finally(() => {
        this.#measuring = null;
      });
    }, INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }

  /** Compares the clocks once. Never rejects: without an answer the last comparison holds. */
  async measure(): Promise<void> {
    try {
      let best = await this.#ask();
      for (let count = 1; count < SAMPLES; count += 1) {
        const sample = await this.#ask();
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
    this.#tellSkew();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#measuring;
  }

  async #ask(): Promise<Sample> {
    const asked = performance.now();
    const { rows } = await this.#options.database.query<{ milliseconds: number }>(NOW);
    const answered = performance.now();
    const [row] = rows;
    if (row === undefined) throw new Error('the database did not say what time it is');
    return { origin: row.milliseconds - (asked + answered) / 2, milliseconds: answered - asked };
  }

  #correct(sample: Sample): void {
    const known = this.#measured;
    const mayBeTheSame =
      known !== null &&
      Math.abs(known.origin - sample.origin) <= (known.milliseconds + sample.milliseconds) / 2;
    if (mayBeTheSame && sample.milliseconds > PRECISE_MILLISECONDS) return;
    this.#measured = sample;
  }

  /** One line when the clocks begin to differ, and one when they agree again. */
  #tellSkew(): void {
    const skew = Math.abs(this.skewMilliseconds);
    const isSkewed = skew > (this.#isSkewed ? WELL_MILLISECONDS : WARN_MILLISECONDS);
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
