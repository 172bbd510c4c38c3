import type { RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

const INTERVAL_MILLISECONDS = 60_000;
/** Small batches, so that no statement blocks others for long, with a pause between them. */
const BATCH_ROWS = 500;
const BATCH_PAUSE_MILLISECONDS = 50;

export interface PrunerDependencies {
  readonly runs: RunStore;
  readonly logger: Logger;
  readonly retentionDays: number;
  onPruned(kind: 'runs' | 'flow_versions', count: number): void;
}

/** Deletes expired records: runs that ended before the retention period, and flow versions that no run needs. */
export class Pruner {
  readonly #dependencies: PrunerDependencies;
  #timer: NodeJS.Timeout | undefined;
  #pruning: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(dependencies: PrunerDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#schedule(INTERVAL_MILLISECONDS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#pruning;
  }

  #schedule(milliseconds: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#pruning = this.#prune().then((hasMore) =>
        this.#schedule(hasMore ? BATCH_PAUSE_MILLISECONDS : INTERVAL_MILLISECONDS),
      );
    }, milliseconds);
  }

  /** Resolves to true when more expired records remain. */
  async #prune(): Promise<boolean> {
    const { runs, logger, retentionDays, onPruned } = this.#dependencies;
    try {
      const pruned = await runs.prune({ retentionDays, limit: BATCH_ROWS });
      onPruned('runs', pruned.runs);
      onPruned('flow_versions', pruned.flowVersions);
      return pruned.runs === BATCH_ROWS || pruned.flowVersions === BATCH_ROWS;
    } catch (error) {
      logger.warn({ error }, 'old records could not be deleted');
      return false;
    }
  }
}
