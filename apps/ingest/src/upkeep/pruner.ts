import { randomUUID } from 'node:crypto';
import { pruneBatches } from '@millrace/runs';
import type {
  AuditLog,
  FileStore,
  FlowVersionKey,
  RefusedDeliveryStore,
  RetainedKind,
  RetentionDays,
  RetentionStore,
  RunStore,
} from '@millrace/runs';
import type { Logger } from '@millrace/service';

const DEFAULT_INTERVAL_MILLISECONDS = 60_000;
/** Audit entries and refused deliveries are small. */
const BATCH_ENTRIES = 500;
const BATCH_PAUSE_MILLISECONDS = 20;
/** Steps over messages, vertex records and files between two looks at the other records; each takes about 10 ms. */
const RETENTION_STEPS = 10;
/** As many batches of runs, so that they are deleted as fast as an installation can record them. */
const RUN_BATCHES = 10;

type PrunedKind =
  'runs' | 'flow_versions' | 'audit_entries' | 'files' | 'refused_deliveries' | 'messages' | 'vertex_records';

const PRUNED_KINDS: Readonly<Record<RetainedKind, PrunedKind>> = {
  messages: 'messages',
  vertexRecords: 'vertex_records',
  files: 'files',
};

export interface PrunerDependencies {
  readonly runs: RunStore;
  readonly files: Pick<FileStore, 'settleAwaiting'>;
  readonly audit: Pick<AuditLog, 'prune'>;
  readonly refusedDeliveries: Pick<RefusedDeliveryStore, 'prune'>;
  readonly retention: Pick<RetentionStore, 'prune'>;
  readonly logger: Logger;
  readonly retentionDays: number;
  /** Of messages, vertex records and files. */
  readonly retentionOfOthers: RetentionDays;
  readonly keptFlowVersions: number;
  readonly auditRetentionDays: number;
  readonly intervalMilliseconds: number | undefined;
  onPruned(kind: PrunedKind, count: number): void;
}

/**
 * Deletes expired records: runs that ended before the retention period, old flow versions that no run refers to, old
 * entries of the audit log and refused deliveries, old messages, vertex records and files where a retention is set, and files of
 * webhooks whose run was not stored. A pass over the versions
 * inspects one batch a minute, and continues at once while it deletes.
 */
export class Pruner {
  readonly #dependencies: PrunerDependencies;
  readonly #intervalMilliseconds: number;
  readonly #batches = pruneBatches();
  #timer: NodeJS.Timeout | undefined;
  #pruning: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Passes begin anywhere, so that restarts do not leave the last versions uninspected. */
  #lastVersion: FlowVersionKey | null = { flowId: randomUUID(), version: 0 };

  constructor(dependencies: PrunerDependencies) {
    this.#dependencies = dependencies;
    this.#intervalMilliseconds = dependencies.intervalMilliseconds ?? DEFAULT_INTERVAL_MILLISECONDS;
  }

  start(): void {
    this.#schedule(this.#intervalMilliseconds);
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
        this.#schedule(hasMore ? BATCH_PAUSE_MILLISECONDS : this.#intervalMilliseconds),
      );
    }, milliseconds);
  }

  /** Resolves to true when more expired records remain. */
  async #prune(): Promise<boolean> {
    const { files, audit, refusedDeliveries, logger, onPruned } = this.#dependencies;
    const { retentionDays, auditRetentionDays } = this.#dependencies;
    try {
      const first = await this.#pruneRuns(this.#batches.flowVersions.size);
      let { areMoreRuns } = first;
      for (let batch = 2; batch <= RUN_BATCHES && areMoreRuns && !this.#isClosed; batch += 1)
        ({ areMoreRuns } = await this.#pruneRuns(0));
      const entries = await audit.prune({ retentionDays: auditRetentionDays, limit: BATCH_ENTRIES });
      onPruned('audit_entries', entries);
      onPruned('files', await files.settleAwaiting());
      const refused = await refusedDeliveries.prune({ retentionDays, limit: BATCH_ENTRIES });
      onPruned('refused_deliveries', refused);
      const isMoreToRead = await this.#pruneByAge();
      const isMoreToDelete = areMoreRuns || first.areMoreVersions;
      return isMoreToDelete || Math.max(entries, refused) === BATCH_ENTRIES || isMoreToRead;
    } catch (error) {
      logger.warn({ error }, 'old records could not be deleted');
      return false;
    }
  }

  /** Deletes a batch of runs, and inspects as many flow versions as given. */
  async #pruneRuns(versionLimit: number): Promise<{ areMoreRuns: boolean; areMoreVersions: boolean }> {
    const { runs, onPruned, retentionDays, keptFlowVersions } = this.#dependencies;
    const limit = this.#batches.runs.size;
    const pruned = await runs.prune({
      retentionDays,
      keptFlowVersions,
      limit,
      versionLimit,
      afterVersion: this.#lastVersion,
    });
    this.#batches.runs.measured(pruned.runs, pruned.milliseconds.runs);
    if (versionLimit > 0)
      this.#batches.flowVersions.measured(pruned.inspectedVersions, pruned.milliseconds.flowVersions);
    this.#lastVersion = pruned.nextVersion;
    onPruned('runs', pruned.runs);
    onPruned('flow_versions', pruned.flowVersions);
    return {
      areMoreRuns: pruned.runs === limit,
      areMoreVersions: pruned.flowVersions > 0 && pruned.nextVersion !== null,
    };
  }

  /** Deletes old messages, vertex records and files; resolves to true when a pass over them goes on. */
  async #pruneByAge(): Promise<boolean> {
    const { retention, retentionOfOthers, onPruned } = this.#dependencies;
    for (let step = 1; step <= RETENTION_STEPS && !this.#isClosed; step += 1) {
      const pruned = await retention.prune(retentionOfOthers);
      if (pruned === null) return false;
      onPruned(PRUNED_KINDS[pruned.kind], pruned.deleted);
    }
    return true;
  }
}
