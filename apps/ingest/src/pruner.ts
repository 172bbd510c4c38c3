import type { RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

const EVERY_MILLISECONDS = 60_000;
/** Small parts, so that no statement holds anything up, with a rest between them. */
const ROWS_AT_ONCE = 500;
const REST_MILLISECONDS = 50;

export interface PrunerDependencies {
  readonly runs: RunStore;
  readonly logger: Logger;
  readonly retentionDays: number;
  onPruned(kind: 'runs' | 'flow_versions', count: number): void;
}

/** Deletes records nobody needs any more: runs that ended long ago, and versions of flows that no run waits for. */
export class Pruner {
  readonly #dependencies: PrunerDependencies;
  #timer: NodeJS.Timeout | undefined;
  #pruning: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(dependencies: PrunerDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#waitFor(EVERY_MILLISECONDS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#pruning;
  }

  #waitFor(milliseconds: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#pruning = this.#prune().then((isMoreLeft) =>
        this.#waitFor(isMoreLeft ? REST_MILLISECONDS : EVERY_MILLISECONDS),
      );
    }, milliseconds);
  }

  /** Resolves to whether more is left. */
  async #prune(): Promise<boolean> {
    const { runs, logger, retentionDays, onPruned } = this.#dependencies;
    try {
      const pruned = await runs.prune({ retentionDays, limit: ROWS_AT_ONCE });
      onPruned('runs', pruned.runs);
      onPruned('flow_versions', pruned.flowVersions);
      return pruned.runs === ROWS_AT_ONCE || pruned.flowVersions === ROWS_AT_ONCE;
    } catch (error) {
      logger.warn({ error }, 'old records could not be deleted');
      return false;
    }
  }
}
