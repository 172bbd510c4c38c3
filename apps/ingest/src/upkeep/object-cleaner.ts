import type { BodyMover, ObjectDeletions } from '@millrace/runs';
import type { Counter, Logger, Metrics } from '@millrace/service';

const INTERVAL_MILLISECONDS = 2_000;

type Work = 'clean' | 'move';

export interface ObjectCleanerDependencies {
  /** Null when no object store is configured. */
  readonly objectDeletions: Pick<ObjectDeletions, 'deleteDue' | 'sweep'> | null;
  /** Null when no object store is configured. */
  readonly bodyMover: Pick<BodyMover, 'moveDue'> | null;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Moves large requests and results of ended runs to the object store, deletes the objects of deleted rows and, every six hours,
 * looks for objects that no row names.
 */
export class ObjectCleaner {
  readonly #dependencies: ObjectCleanerDependencies;
  readonly #deleted: Counter;
  readonly #moved: Counter;
  readonly #closing = new AbortController();
  readonly #timers = new Map<Work, NodeJS.Timeout>();
  #cleaning: Promise<void> = Promise.resolve();

  constructor(dependencies: ObjectCleanerDependencies) {
    this.#dependencies = dependencies;
    const { metrics } = dependencies;
    const labels = { outcome: ['ok', 'failed'] } as const;
    this.#deleted = metrics.counter(
      'millrace_objects_deleted_total',
      'Objects deleted from the object store, and failed attempts, by outcome',
      { labels },
    );
    this.#moved = metrics.counter(
      'millrace_bodies_moved_total',
      'Requests and results of runs moved to the object store, and failed attempts, by outcome',
      { labels },
    );
  }

  start(): void {
    if (this.#dependencies.objectDeletions === null) return;
    this.#schedule('clean');
    // An upload can take minutes; deletions do not wait for it.
    this.#schedule('move');
  }

  /** Resolves when deletions have ended. An upload under way is not awaited: without a row it is an orphan, which a sweep deletes. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#cleaning;
  }

  #schedule(work: Work): void {
    if (this.#closing.signal.aborted) return;
    const timer = setTimeout(() => {
      const done = work === 'clean' ? (this.#cleaning = this.#clean()) : this.#move();
      void done.then(() => this.#schedule(work));
    }, INTERVAL_MILLISECONDS);
    this.#timers.set(work, timer);
  }

  async #clean(): Promise<void> {
    const { objectDeletions, logger } = this.#dependencies;
    const { signal } = this.#closing;
    if (objectDeletions === null) return;
    try {
      const swept = await objectDeletions.sweep(signal);
      if (swept !== null) logger.info({ ...swept }, 'looked for objects that no row names');
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

  async #move(): Promise<void> {
    const { bodyMover, logger } = this.#dependencies;
    const { signal } = this.#closing;
    if (bodyMover === null || signal.aborted) return;
    try {
      const { moved, failure } = await bodyMover.moveDue(signal);
      this.#moved.add(moved, { outcome: 'ok' });
      if (failure !== null) throw failure;
    } catch (error) {
      if (signal.aborted) return;
      this.#moved.add(1, { outcome: 'failed' });
      logger.warn(
        { error },
        'requests and results could not be moved to the object store; it will be tried again',
      );
    }
  }
}
