import { storableText } from '@millrace/python-text';
import { addCounts, usageCounts } from '@millrace/runs';
import type { EndedUse, RunStore, UsageCount } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { PeriodicCounts } from './periodic-counts';

const FLUSH_MILLISECONDS = 2_000;
const MAXIMUM_KEYS = 5_000;
/** Models that a user can name in an hour; the calls of further ones count as `other`. Authors choose the names. */
const MAXIMUM_MODELS_PER_USER = 50;
const MAXIMUM_USERS = 10_000;
const MAXIMUM_NAME = 200;
const HOUR_MILLISECONDS = 3_600_000;

export interface UsageCountsOptions {
  readonly runs: Pick<RunStore, 'countUsage'>;
  readonly logger: Logger;
  /** Called with the number of runs that were counted in no way. */
  onLost(count: number): void;
}

/** Counts what ended runs used, by user, flow, key, pool and model, and adds the counts to the database. */
export class UsageCounts {
  readonly #counts: PeriodicCounts<UsageCount>;
  #models = new Map<string, Set<string>>();
  #forgetAt = 0;

  constructor({ runs, logger, onLost }: UsageCountsOptions) {
    this.#counts = new PeriodicCounts({
      store: (counts) => runs.countUsage([...counts.values()]),
      add: addCounts,
      onLost: (count) => onLost(count.model === '' ? count.runs : 0),
      milliseconds: FLUSH_MILLISECONDS,
      maximumKeys: MAXIMUM_KEYS,
      what: 'the usage of runs',
      logger,
    });
  }

  add(run: EndedUse): void {
    for (const counted of usageCounts(run)) {
      const count = this.#bounded(counted);
      const { userId, flowId, keyId, pool, provider, model } = count;
      this.#counts.add([userId, flowId, keyId, pool, provider, model].join('\u0000'), count);
    }
  }

  close(): Promise<void> {
    return this.#counts.close();
  }

  #bounded(count: UsageCount): UsageCount {
    if (count.model === '') return count;
    const now = performance.now();
    if (now >= this.#forgetAt || this.#models.size > MAXIMUM_USERS) {
      this.#models = new Map();
      this.#forgetAt = now + HOUR_MILLISECONDS;
    }
    // As stored: two names that are stored as one would be one row twice.
    const provider = storableText(count.provider.slice(0, MAXIMUM_NAME));
    const model = storableText(count.model.slice(0, MAXIMUM_NAME));
    const name = `${provider}\u0000${model}`;
    const known = this.#models.get(count.userId) ?? new Set();
    this.#models.set(count.userId, known);
    if (!known.has(name) && known.size >= MAXIMUM_MODELS_PER_USER)
      return { ...count, provider: 'other', model: 'other' };
    known.add(name);
    return { ...count, provider, model };
  }
}
