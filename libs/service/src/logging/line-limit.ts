import type { Counter, Metrics } from '../metrics/metrics';
import { TokenBuckets } from '../time/token-buckets';
import type { Logger } from './logger';

const SUMMARY_MILLISECONDS = 1_000;
const MAXIMUM_NAMED_SUBJECTS = 10;

export interface LineLimitOptions {
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: Metrics;
  /** Topic of the lines, for the summary: "failed runs". */
  readonly about: string;
  readonly linesPerSubject?: number;
  readonly lines?: number;
}

/**
 * Limits the log lines of an event that can come in floods: to 5 a second for each subject and 50 a second in total,
 * unless given. Suppressed lines are counted by the metric `millrace_log_lines_suppressed_total` and in one line a
 * second.
 */
export class LineLimit {
  readonly #options: LineLimitOptions;
  readonly #suppressed: Counter;
  readonly #subjects: TokenBuckets;
  readonly #all: TokenBuckets;
  readonly #suppressedBySubject = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LineLimitOptions) {
    this.#options = options;
    this.#suppressed = options.metrics.counter(
      'millrace_log_lines_suppressed_total',
      'Log lines suppressed by the limit of lines per second, by topic',
      { labels: { about: [options.about] } },
    );
    this.#subjects = new TokenBuckets({ perSecond: options.linesPerSubject ?? 5 });
    this.#all = new TokenBuckets({ perSecond: options.lines ?? 50 });
  }

  /** Whether to write a line about this subject, such as a flow. */
  allows(subject: string): boolean {
    if (this.#subjects.take(subject) === null && this.#all.take('') === null) return true;
    this.#count += 1;
    this.#suppressed.add(1, { about: this.#options.about });
    const previous = this.#suppressedBySubject.get(subject);
    if (previous !== undefined || this.#suppressedBySubject.size < MAXIMUM_NAMED_SUBJECTS)
      this.#suppressedBySubject.set(subject, (previous ?? 0) + 1);
    this.#timer ??= setTimeout(() => this.#summarize(), SUMMARY_MILLISECONDS).unref();
    return false;
  }

  /** Writes the pending summary. */
  close(): void {
    if (this.#count > 0) this.#summarize();
  }

  #summarize(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { logger, about } = this.#options;
    const fields = { suppressed: this.#count, subjects: Object.fromEntries(this.#suppressedBySubject) };
    this.#count = 0;
    this.#suppressedBySubject.clear();
    logger.warn(fields, `lines about ${about} suppressed`);
  }
}
