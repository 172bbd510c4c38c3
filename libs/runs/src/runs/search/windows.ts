import type { Transactional } from '@millrace/database';
import { machineTime } from '@millrace/service';
import type { RunPosition } from './run-filter';
import { countStatement, smallestId, timeSql, usesIdOrder } from './run-search';
import type { AddValue, RunSearch } from './run-search';

/** How many runs a page reads, of those that its index has, to find the ones of its filter. */
const MAXIMUM_ROWS = 10_000;
/** So many are enough: a longer window would be counted again. */
const ENOUGH_ROWS = MAXIMUM_ROWS / 4;
const AIM_ROWS = MAXIMUM_ROWS * 0.6;
const FIRST_WINDOW_MILLISECONDS = 60_000;
const MAXIMUM_GROWTH = 64;
/** Of windows that are counted for a page. It ends with a window that is too short or too long, which costs pages or time. */
const MAXIMUM_TRIES = 16;
const SMALLEST_UUID = '00000000-0000-0000-0000-000000000000';

// The planner can take a range of times for nearly empty, and read the table.
const BY_INDEX = {
  name: 'search-settings-of-counts',
  text: `SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)`,
};

/**
 * Returns the search of one page with a bound, so that a filter that few runs have and no index serves does not read all runs:
 * it begins at the newest run and reads at most some thousands of them. `stoppedAt` is where the next page begins if this one
 * ends before its limit; null when no runs are left.
 */
export async function boundedSearch(
  database: Transactional,
  search: RunSearch,
): Promise<{ readonly search: RunSearch; readonly stoppedAt: RunPosition | null }> {
  const from = await windowStart(database, search);
  if (from === null) return { search, stoppedAt: null };
  const isById = usesIdOrder(search.filter);
  return {
    search: {
      ...search,
      conditions: (add) => [...(search.conditions?.(add) ?? []), since(from, isById, add)],
    },
    stoppedAt: { acceptedAtMicroseconds: from * 1000, id: isById ? smallestId(from) : SMALLEST_UUID },
  };
}

/** Returns the begin of the window that a page reads, in milliseconds since the epoch; null when it can read all runs that are left. */
async function windowStart(database: Transactional, search: RunSearch): Promise<number | null> {
  return database.transaction(async (connection) => {
    await connection.query(BY_INDEX);
    const countSince = async (from: number | null) => {
      const bound = (add: AddValue) =>
        from === null ? 'true' : since(from, usesIdOrder(search.filter), add);
      const { rows } = await connection.query<{ count: number }>(countStatement(search, MAXIMUM_ROWS, bound));
      return rows[0]?.count ?? 0;
    };
    if ((await countSince(null)) < MAXIMUM_ROWS) return null;
    const newest = newestOf(search);
    let [length, tooLong] = [FIRST_WINDOW_MILLISECONDS, newest];
    for (let tries = 1; ; tries += 1) {
      const from = Math.floor(newest - length);
      const count = await countSince(from);
      const isFull = count >= MAXIMUM_ROWS;
      if (isFull) tooLong = length;
      const isLong = count >= ENOUGH_ROWS || length * 1.5 >= tooLong;
      if (tries === MAXIMUM_TRIES || (isFull ? length === 1 : isLong)) return from;
      const growth = isFull ? 1 / 8 : Math.min(MAXIMUM_GROWTH, AIM_ROWS / Math.max(count, 1));
      length = Math.max(1, Math.min(length * growth, (length + tooLong) / 2));
    }
  });
}

function since(from: number, isById: boolean, add: AddValue): string {
  return isById
    ? `runs.id >= ${add(smallestId(from))}::uuid`
    : `runs.accepted_at >= ${timeSql(add(from * 1000))}`;
}

/** Where a search begins, in milliseconds since the epoch. Its order is that of ids or of acceptance. */
function newestOf({ filter, after }: RunSearch): number {
  if (after === undefined) return filter.acceptedBefore?.getTime() ?? machineTime();
  return usesIdOrder(filter) ? timeOfId(after.id) : after.acceptedAtMicroseconds / 1000;
}

/** The time in an id that a process made, in milliseconds since the epoch. */
function timeOfId(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
