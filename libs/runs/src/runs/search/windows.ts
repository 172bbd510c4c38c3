import type { Transactional } from '@millrace/database';
import { machineTime } from '@millrace/service';
import type { RunPosition } from './run-filter';
import { CLOCK_TOLERANCE_MILLISECONDS, countStatement, smallestId, timeSql, usesIdOrder } from './run-search';
import type { AddValue, RunSearch } from './run-search';

/** How many runs a page reads, of those that its index has, to find the ones of its filter. */
const MAXIMUM_ROWS = 10_000;
/** So many are enough: for more, a longer window would be counted. */
const ENOUGH_ROWS = MAXIMUM_ROWS / 4;
const AIM_ROWS = MAXIMUM_ROWS * 0.6;
const FIRST_WINDOW_MILLISECONDS = 60_000;
const MAXIMUM_GROWTH = 64;
/** Of windows that are counted for a page; it then reads the longest that was short enough. */
const MAXIMUM_TRIES = 16;
const SMALLEST_UUID = '00000000-0000-0000-0000-000000000000';

// The planner can take a range of times for nearly empty, and read the table.
const BY_INDEX = {
  name: 'search-settings-of-counts',
  text: `SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true)`,
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
    let [shortEnough, tooLong] = [0, newest];
    let length = FIRST_WINDOW_MILLISECONDS;
    for (let tries = 0; tries < MAXIMUM_TRIES; tries += 1) {
      const count = await countSince(Math.floor(newest - length));
      if (count >= MAXIMUM_ROWS) tooLong = length;
      else shortEnough = length;
      if (shortEnough === length && count >= ENOUGH_ROWS) break;
      if (tooLong <= Math.max(1, shortEnough * 1.5)) break;
      if (shortEnough === 0) length = Math.max(1, tooLong / 8);
      else if (tooLong < newest) length = Math.sqrt(shortEnough * tooLong);
      else length = Math.min(length * Math.min(MAXIMUM_GROWTH, AIM_ROWS / Math.max(count, 1)), newest - 1);
    }
    return Math.floor(newest - Math.max(shortEnough, 1));
  });
}

function since(from: number, isById: boolean, add: AddValue): string {
  return isById
    ? `runs.id >= ${add(smallestId(from))}::uuid`
    : `runs.accepted_at >= ${timeSql(add(from * 1000))}`;
}

/** Where a search begins, in milliseconds since the epoch. Its order is that of ids or of acceptance. */
function newestOf({ filter, after }: RunSearch): number {
  // Other clocks can be earlier, and no run is accepted much later.
  const latest = machineTime() + CLOCK_TOLERANCE_MILLISECONDS;
  if (after === undefined) return Math.min(filter.acceptedBefore?.getTime() ?? latest, latest);
  return usesIdOrder(filter) ? timeOfId(after.id) : after.acceptedAtMicroseconds / 1000;
}

/** The time in an id that a process made, in milliseconds since the epoch. */
function timeOfId(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
