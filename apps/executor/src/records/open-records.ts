import type { MessageBus } from '@millrace/messaging';
import type { RunStore, SessionHistory } from '@millrace/runs';
import type { Logger, Metrics } from '@millrace/service';
import { groupClaims, groupCompletions, InteractiveRecords } from './group-writes';
import type { GroupClaims, GroupCompletions } from './group-writes';
import { MessageVisibility } from './run-messages';
import { RunUpdates } from './run-updates';
import { PeriodicCounts } from './periodic-counts';
import { UsageCounts } from './usage-counts';

export interface RecordsDependencies {
  readonly runs: RunStore;
  readonly history: SessionHistory;
  readonly bus: MessageBus;
  readonly worker: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Fires when the time for a graceful stop is over; no operation waits for an outage to end after that. */
  readonly shutdownDeadline: AbortSignal;
}

/** What an executor writes about its runs; most writes of many runs share a statement. */
export interface Records {
  readonly claims: GroupClaims;
  readonly completions: GroupCompletions;
  /** The ends of runs that had no row. */
  readonly interactive: InteractiveRecords;
  /** How many runs get no row, by flow. */
  readonly unrecorded: PeriodicCounts<number>;
  readonly usageCounts: UsageCounts;
  readonly updates: RunUpdates;
  readonly visibility: MessageVisibility;
  /** Resolves when everything that was added is written or has failed. */
  close(): Promise<void>;
}

export function openRecords(dependencies: RecordsDependencies): Records {
  const lost = dependencies.metrics.counter(
    'millrace_records_lost_total',
    'Interactive runs whose record could not be written',
  );
  const claims = groupClaims(dependencies);
  const completions = groupCompletions(dependencies);
  const onLost = (count: number) => lost.add(count);
  const interactive = new InteractiveRecords({ ...dependencies, onLost });
  const { runs, logger } = dependencies;
  const unrecorded = new PeriodicCounts<number>({
    store: (counts) => runs.countUnrecorded(counts),
    add: (one, other) => one + other,
    onLost,
    milliseconds: 1_000,
    maximumKeys: 10_000,
    what: 'the number of unrecorded runs',
    logger,
  });
  // Statistics only: what is lost of them is in the log.
  const usageCounts = new UsageCounts({ runs, logger, onLost: () => undefined });
  return {
    claims,
    completions,
    interactive,
    unrecorded,
    usageCounts,
    updates: new RunUpdates(dependencies),
    visibility: new MessageVisibility(dependencies),
    async close() {
      await Promise.all([claims.close(), completions.close(), interactive.close()]);
      await Promise.all([unrecorded.close(), usageCounts.close()]);
    },
  };
}
