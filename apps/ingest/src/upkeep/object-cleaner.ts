import type { ObjectDeletions } from '@millrace/runs';
import type { Counter, Logger, Metrics } from '@millrace/service';

const INTERVAL_MILLISECONDS = 2_000;

export interface ObjectCleanerDependencies {
  /** Null when no object store is configured. */
  readonly objectDeletions: Pick<ObjectDeletions, 'deleteDue' | 'sweep'> | null;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Deletes the objects of deleted files and, every six hours, looks for objects that no file names. */
export class ObjectCleaner {
  readonly #dependencies: ObjectCleanerDependencies;
  readonly #deleted: Counter;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #cleaning: Promise<void> = Promise.resolve();

  constructor(dependencies: ObjectCleanerDependencies) {
    this.#dependencies = dependencies;
    const { metrics } = dependencies;
    this.#deleted = metrics.counter(
      'millrace_objects_deleted_total',
      'Objects deleted from the object store, and failed attempts, by outcome',
      { labels: { outcome: ['ok', 'failed'] } },
    );
  }

  start(): void {
    const { objectDeletions } = this.#dependencies;
    if (objectDeletions !== null) this.#schedule(objectDeletions);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#cleaning;
  }

  #schedule(objectDeletions: Pick<ObjectDeletions, 'deleteDue' | 'sweep'>): void {
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#cleaning = this.#clean(objectDeletions).then(() => this.#schedule(objectDeletions));
    }, INTERVAL_MILLISECONDS);
  }

  async #clean(objectDeletions: Pick<ObjectDeletions, 'deleteDue' | 'sweep'>): Promise<void> {
    const { logger } = this.#dependencies;
    const { signal } = this.#closing;
    try {
      const swept = await objectDeletions.sweep(signal);
      if (swept !== null) logger.info({ ...swept }, 'looked for objects that no file names');
      let deleted = 0;
      do {
        const batch = await objectDeletions.deleteDue();
        deleted = batch.deleted;
        this.#deleted.add(deleted, { outcome: 'ok' });
        if (batch.failure !== null) throw batch.failure;
      } while (deleted > 0 && !signal.aborted);
    } catch (error) {
      if (signal.aborted) return;
      this.#deleted.add(1, { outcome: 'failed' });
      logger.warn({ error }, 'objects could not be deleted; it will be tried again');
    }
  }
}
