import type { Transactional } from '@millrace/database';
import { machineTime } from '@millrace/service';
import type { RunFilter, RunPosition } from './run-filter';
import { CLOCK_TOLERANCE_MILLISECONDS, smallestId, timeSql, usesIdOrder } from './run-search';
import type { RunSearch } from './run-search';

/** How many runs the first window of a search has, of those of all users. */
const FIRST_WINDOW_ROWS = 20_000;
/** A page ends with the runs that it has after about this time. */
const PAGE_MILLISECONDS = 30;
const MAXIMUM_GROWTH = 32;
const SMALLEST_UUID = '00000000-0000-0000-0000-000000000000';

const ID_BEHIND = {
  name: 'runs-id-behind-window',
  text: `SELECT id FROM runs WHERE $1::uuid IS NULL OR id < $1 ORDER BY id DESC OFFSET ${FIRST_WINDOW_ROWS} LIMIT 1`,
};
const OLDEST_ID = { name: 'runs-oldest-id', text: 'SELECT id FROM runs ORDER BY id LIMIT 1' };

/** What a search in windows found. */
export interface WindowedRows<Row> {
  readonly rows: readonly Row[];
  /** Where the search goes on, when it stopped before its limit and before it had read all runs. */
  readonly stoppedAt?: RunPosition | undefined;
}

/** Milliseconds since the epoch. */
interface WindowBounds {
  readonly newest: number;
  readonly oldest: number;
  /** Where the first window ends. */
  readonly firstFrom: number;
}

/** Whether no index has a column of the filter, so that a search reads runs that it does not select. */
export function readsOtherRuns({ origin, keyId, model, vertexId }: RunFilter): boolean {
  return [origin, keyId, model, vertexId].some((value) => value !== undefined);
}

/**
 * Searches the newest runs first, in windows of time that grow while they take little time, so that a filter that few runs
 * have does not read all runs in one statement.
 */
export async function searchWindows<Row>(
  database: Transactional,
  search: RunSearch,
  find: (part: RunSearch) => Promise<readonly Row[]>,
): Promise<WindowedRows<Row>> {
  const begun = performance.now();
  const bounds = await windowBounds(database, search);
  if (bounds === null) return { rows: await find(search) };
  const rows: Row[] = [];
  let { newest: until, firstFrom: from } = bounds;
  let { after } = search;
  while (from > bounds.oldest) {
    const windowBegun = performance.now();
    rows.push(...(await find(acceptedFrom({ ...search, after, limit: search.limit - rows.length }, from))));
    if (rows.length >= search.limit) return { rows };
    after = { acceptedAtMicroseconds: from * 1000, id: idBefore(search, from) };
    const took = Math.max(performance.now() - windowBegun, 1);
    const left = PAGE_MILLISECONDS - (performance.now() - begun);
    if (left < took / MAXIMUM_GROWTH) return { rows, stoppedAt: after };
    const length = (until - from) * Math.min(left / took, MAXIMUM_GROWTH);
    [until, from] = [from, Math.floor(from - Math.max(length, 1))];
  }
  rows.push(...(await find({ ...search, after, limit: search.limit - rows.length })));
  return { rows };
}

/** Returns null when there are so few runs that one statement can read them. */
async function windowBounds(
  database: Transactional,
  { filter, after }: RunSearch,
): Promise<WindowBounds | null> {
  const known = after === undefined ? filter.acceptedBefore?.getTime() : after.acceptedAtMicroseconds / 1000;
  const top = known === undefined ? null : smallestId(known + CLOCK_TOLERANCE_MILLISECONDS);
  const [behind, oldest] = await database.transaction(async (connection) => [
    await connection.query<{ id: string }>({ ...ID_BEHIND, values: [top] }),
    await connection.query<{ id: string }>(OLDEST_ID),
  ]);
  const [first, last] = [behind?.rows[0]?.id, oldest?.rows[0]?.id];
  if (first === undefined || last === undefined) return null;
  const newest = known ?? machineTime();
  const end = Math.max(timeOfId(last), filter.acceptedFrom?.getTime() ?? 0);
  return {
    newest,
    oldest: end - CLOCK_TOLERANCE_MILLISECONDS,
    firstFrom: Math.floor(Math.min(timeOfId(first), newest - 1)),
  };
}

function acceptedFrom(search: RunSearch, from: number): RunSearch {
  return {
    ...search,
    conditions: (add) => [
      ...(search.conditions?.(add) ?? []),
      usesIdOrder(search.filter)
        ? `runs.id >= ${add(smallestId(from))}::uuid`
        : `runs.accepted_at >= ${timeSql(add(from * 1000))}`,
    ],
  };
}

/** The id of the position behind a window that ends at this time. */
function idBefore({ filter }: RunSearch, from: number): string {
  return usesIdOrder(filter) ? smallestId(from) : SMALLEST_UUID;
}

/** The time in an id that a process made, in milliseconds since the epoch. */
function timeOfId(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
