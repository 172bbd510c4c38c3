import type { RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

const FLUSH_MILLISECONDS = 1_000;
/** Flows with runs that are not in the database yet; those of further flows are not counted. */
const MAXIMUM_FLOWS = 10_000;

export interface UnrecordedRunsOptions {
  readonly runs: Pick<RunStore, 'countUnrecorded'>;
  readonly logger: Logger;
  /** Called with the number of runs that were counted in no way. */
  onLost(count: number): void;
}

/** Counts the runs that get no row, and adds the counts of each flow to the database once a second. */
export class UnrecordedRuns {
  readonly #options: UnrecordedRunsOptions;
  #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: UnrecordedRunsOptions) {
    this.#options = options;
  }

  add(flowId: string, count = 1): void {
    const before = this.#counts.get(flowId);
    if (before === undefined && this.#counts.size >= MAXIMUM_FLOWS) return this.#options.onLost(count);
    this.#counts.set(flowId, (before ?? 0) + count);
    this.#timer ??= setTimeout(() => void this.#flush(), FLUSH_MILLISECONDS).unref();
  }

  /** Stores what has been counted. */
  async close(): Promise<void> {
    await this.#flush();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = this.#counts;
    if (counts.size === 0) return this.#flushing;
    this.#counts = new Map();
    return (this.#flushing = this.#flushing.then(() => this.#store(counts)));
  }

  /** A count whose commit has an unknown outcome can be added twice; it is a number for people. */
  async #store(counts: ReadonlyMap<string, number>): Promise<void> {
    try {
      await this.#options.runs.countUnrecorded(counts);
    } catch (error) {
      this.#options.logger.warn(
        { error, flows: counts.size },
        'could not store the number of unrecorded runs',
      );
      for (const [flowId, count] of counts) this.add(flowId, count);
    }
  }
}
