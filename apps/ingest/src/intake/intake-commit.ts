import { GroupCommit, isRowError } from '@millrace/runs';

/**
 * Returns what stores accepted requests, many in one transaction; two are in flight, so that one batch fills while the
 * other is written.
 */
export function intakeCommit<Item, Outcome>(
  commit: (items: Item[]) => Promise<Outcome[]>,
): GroupCommit<Item, Outcome> {
  return new GroupCommit<Item, Outcome>({
    commit,
    maximumWaitMilliseconds: 2,
    maximumItems: 200,
    maximumPending: 5_000,
    maximumInFlight: 2,
    splitOn: isRowError,
  });
}
