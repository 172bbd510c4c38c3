import type { Counter, Metrics } from '../metrics/metrics';
import { TokenBuckets } from '../time/token-buckets';
import type { Logger } from './logger';

const SUMMARY_MILLISECONDS = 1_000;
const MAXIMUM_NAMED_SUBJECTS = 10;

export interface LineLimitOptions {
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Metrics;
  /** What the lines are about, for the summary: "failed runs". */
  readonly about: string;
  readonly linesPerSubject?: number;
  readonly lines?: number;
}

/**
 * Bounds how many log lines an event that may come in floods leaves: 5 a second for each subject and 50 a second in all,
 * unless given. What is beyond is counted, by the metric `millrace_log_lines_suppressed_total` and in a line a second.
 */
export class LineLimit {
  readonly #options: LineLimitOptions;
  readonly #suppressed: Counter;
  readonly #subjects: TokenBuckets;
  readonly #all: TokenBuckets;
  readonly #leftOut = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LineLimitOptions) {
    this.#options = options;
    this.#suppressed = options.metrics.counter(
      'millrace_log_lines_suppressed_total',
      'Log lines that were left out because too many came in a second, by what they are about',
    );
    this.#subjects = new TokenBuckets({ perSecond: options.linesPerSubject ?? 5 });
    this.#all = new TokenBuckets({ perSecond: options.lines ?? 50 });
  }

  /** Whether a line about this subject, such as a flow, is to be written. */
  allows(subject: string): boolean {
    if (this.#subjects.take(subject) === null && this.#all.take('') === null) return true;
    this.#count += 1;
    this.#suppressed.add(1, { about: this.#options.about });
    const before = this.#leftOut.get(subject);
    if (before !== undefined || this.#leftOut.size < MAXIMUM_NAMED_SUBJECTS)
      this.#leftOut.set(subject, (before ?? 0) + 1);
    this.#timer ??= setTimeout(() => this.#summarize(), SUMMARY_MILLISECONDS).unref();
    return false;
  }

  /** Writes what is still to be said. */
  close(): void {
    if (this.#count > 0) this.#summarize();
  }

  #summarize(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { logger, about } = this.#options;
    const fields = { suppressed: this.#count, subjects: Object.fromEntries(this.#leftOut) };
    this.#count = 0;
    this.#leftOut.clear();
    logger.warn(fields, `lines about ${about} suppressed`);
  }
}
