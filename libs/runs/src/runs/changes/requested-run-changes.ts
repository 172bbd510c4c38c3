import type { RunDeletionFilter } from '../pruning/delete-run-records';
import type { RunPage } from '../search/run-filter';
import type { BulkBatch, BulkOptions, BulkOrder } from './bulk-runs';
import type { RunRequest } from '@millrace/flow';
import type { GivenDecisions } from '../suspension/decide-requests';
import type { ReplayOptions, Replays } from './replay-runs';

/** See the methods of RunStore. */
export interface RequestedRunChanges {
  /** False when the user has no such run or it has ended. */
  cancel(userId: string, runId: string): Promise<boolean>;
  /** Stores a person's answers, and the run goes on; false, with none stored, when the run is not suspended or a request does not wait. */
  decide(decisions: GivenDecisions): Promise<boolean>;
  replay(userId: string, runIds: readonly string[], options: ReplayOptions): Promise<Replays>;
  /**
   * Starts a run with another request in the place of that of a run, whose state does not matter. Resolves to its id; null when
   * there is no such run, its request is not kept, or its version no longer exists.
   */
  replayChanged(
    userId: string,
    runId: string,
    options: ReplayOptions & { readonly request: RunRequest },
  ): Promise<string | null>;
  applyBulk(order: BulkOrder, page: RunPage, options: BulkOptions): Promise<BulkBatch>;
  deleteRecord(userId: string, runId: string): Promise<boolean>;
  deleteRecords(userId: string, runs: RunDeletionFilter): Promise<number>;
}
