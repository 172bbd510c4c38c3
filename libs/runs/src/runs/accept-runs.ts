import { createHash } from 'node:crypto';
import { booleanArray, integerArray, textArray, uuidArray } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { storableText, storableTextOrNull } from '@millrace/python-text';
import { parseUuid } from '../flows/parse-uuid';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { HAS_RUN_LIMIT } from './backlog/run-limits';
import { ACCEPTED_GRACE, PUBLISHED, IN_BACKLOG } from './lifecycle';
import type { NewRun } from '../run-record/run-record';
import type { RequestSeal } from '../encryption/request-seal';
import type { RunStoreParts } from './run-store-parts';

const MAXIMUM_ROUNDS = 3;
const MAXIMUM_KEY_LENGTH = 400;

/** Matches the run itself, or an earlier run with its dedupe key. */
const SAME_RUN = `runs.id = given.id OR (runs.flow_id = given.flow_id AND runs.dedupe_key = given.dedupe_key)`;

// The same statement finds rows that existed before; it does not see rows that others insert in the meantime. The orders of
// the limited parts select nothing: without them the planner scans the table for the first row, whenever many of the runs
// were in a backlog or published at the time of its statistics.
/** Returns the statement that accepts runs; for its parameters 1 to 19 see `runParameters`. */
export const acceptSql = ({
  arrays,
  given,
  ctes,
  source,
  isLimited,
  order,
  after,
  columns,
  others,
}: AcceptSql) =>
  `WITH given AS (
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::text[], $10::text[], $11::int[], $12::int[], $13::text[], $14::text[], $15::boolean[],
        $17::text[], $18::text[], $19::text[]${arrays})${order === '' ? '' : ' WITH ORDINALITY'}
        AS given (id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id, dedupe_key,
          limit_milliseconds, maximum_attempts, traceparent, retry, is_limited, request_id, callback, key_id${given})
    ), ${ctes}crowded AS (
      SELECT user_id, pool FROM (
        SELECT DISTINCT user_id, pool FROM given WHERE lane = 'background' AND $16::int > 0
      ) AS tenant
      WHERE EXISTS (SELECT FROM (
          SELECT FROM runs WHERE runs.user_id = tenant.user_id AND runs.pool = tenant.pool AND ${IN_BACKLOG}
            ORDER BY runs.flow_id, runs.accepted_at LIMIT 1
        ) AS first)
        OR (SELECT count(*) FROM (
          SELECT FROM runs WHERE runs.user_id = tenant.user_id AND runs.pool = tenant.pool AND ${PUBLISHED}
            ORDER BY runs.flow_id LIMIT $16
        ) AS ahead) >= $16
    ), inserted AS (
      INSERT INTO runs (id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id, dedupe_key,
        limit_milliseconds, maximum_attempts, traceparent, retry, request_id, callback, key_id, status, durable,
        accepted_at, next_sweep_at)
      SELECT id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id, dedupe_key,
        limit_milliseconds, maximum_attempts, traceparent, retry, request_id, callback, key_id::uuid, 'accepted', true,
        now(), CASE
          WHEN lane = 'background' AND $16 IS NOT NULL AND (${isLimited} OR (user_id, pool) IN (SELECT * FROM crowded)
            OR flow_id IN (SELECT flows.id FROM flows WHERE flows.pause_reason IS NOT NULL) OR ${HAS_RUN_LIMIT})
          THEN timestamptz 'infinity' ELSE now() + ${ACCEPTED_GRACE} END
      FROM ${source} ${order} ON CONFLICT DO NOTHING RETURNING id, ${IN_BACKLOG} AS "isInBacklog"
    )${after}
    SELECT id, id AS "canonicalRunId", "isInBacklog"${columns} FROM inserted
    UNION ALL SELECT given.id, runs.id, coalesce(${IN_BACKLOG}, false)${columns} FROM ${source} AS given
      JOIN runs ON ${SAME_RUN} WHERE given.id NOT IN (SELECT id FROM inserted)${others}`;

const ACCEPT = {
  name: 'runs-accept',
  text: acceptSql({
    arrays: '',
    given: '',
    ctes: '',
    source: 'given',
    isLimited: 'is_limited',
    order: '',
    after: '',
    columns: '',
    others: '',
  }),
};

/** Parts of the statement that differ between runs without and with the events that start them. */
interface AcceptSql {
  /** Further parameters and their names; with an order the last name is that of the position among the parameters. */
  readonly arrays: string;
  readonly given: string;
  readonly ctes: string;
  /** Where the runs to insert come from. */
  readonly source: string;
  readonly isLimited: string;
  readonly order: string;
  readonly after: string;
  /** Further columns of the result, and its further rows. */
  readonly columns: string;
  readonly others: string;
}

const FIND_CANONICAL = {
  name: 'runs-find-canonical',
  text: `SELECT given.id, runs.id AS "canonicalRunId", coalesce(${IN_BACKLOG}, false) AS "isInBacklog"
    FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS given (id, flow_id, dedupe_key) JOIN runs ON ${SAME_RUN}`,
};

export type AcceptedRow = Acceptance & { readonly id: string };

/** Outcome of accepting a run. */
export interface Acceptance {
  /** The run that represents it: itself, or an earlier run with its dedupe key. */
  readonly canonicalRunId: string;
  /** The run is in the user's backlog: it must not be published before `releaseBacklog` returns it. */
  readonly isInBacklog: boolean;
}

/**
 * See RunStore.admit; with null no run joins a backlog. Takes one statement, and a second one only when two runs with
 * one dedupe key meet.
 */
export async function acceptRuns(
  { database, seal }: RunStoreParts,
  runs: readonly NewRun[],
  publishedPerUser: number | null,
): Promise<Map<string, Acceptance>> {
  const connection: Queryable = {
    query: (statement) => retryOnDeadlock(() => database.query(statement)),
  };
  return acceptInRounds(connection, runs, async (unresolved) => {
    // Sorted, so that two batches with the same dedupe keys do not deadlock.
    const values = runParameters([...unresolved].sort(byDedupeKey), seal, publishedPerUser);
    return (await connection.query<AcceptedRow>({ ...ACCEPT, values })).rows;
  });
}

/**
 * Inserts runs, or finds the earlier runs that have their dedupe keys. A run that `insert` does not resolve met another one with its
 * key that was not visible yet.
 */
export async function acceptInRounds(
  connection: Queryable,
  runs: readonly NewRun[],
  insert: (runs: readonly NewRun[]) => Promise<AcceptedRow[]>,
): Promise<Map<string, Acceptance>> {
  const acceptances = new Map<string, Acceptance>();
  let unresolved = runs;
  for (let round = 1; unresolved.length > 0; round += 1) {
    // Only a run that was deleted with its flow between the two statements is neither inserted nor found.
    if (round > MAXIMUM_ROUNDS)
      throw new Error(`${unresolved.length} runs could neither be accepted nor found`);
    for (const { id, canonicalRunId, isInBacklog } of await insert(unresolved))
      acceptances.set(id, { canonicalRunId, isInBacklog });
    unresolved = unresolved.filter(({ id }) => !acceptances.has(id));
    if (unresolved.length === 0) break;
    for (const { id, canonicalRunId, isInBacklog } of await find(connection, unresolved))
      acceptances.set(id, { canonicalRunId, isInBacklog });
    unresolved = unresolved.filter(({ id }) => !acceptances.has(id));
  }
  return acceptances;
}

/** Returns the parameters of `acceptSql`. */
export function runParameters(
  runs: readonly NewRun[],
  seal: RequestSeal,
  publishedPerUser: number | null,
): unknown[] {
  return [
    uuidArray(runs.map((run) => run.id)),
    uuidArray(runs.map((run) => run.flowId)),
    integerArray(runs.map((run) => run.flowVersion)),
    uuidArray(runs.map((run) => run.userId)),
    textArray(runs.map((run) => run.lane)),
    textArray(runs.map((run) => storableText(run.pool))),
    textArray(runs.map((run) => run.origin)),
    // Whole: what a template saves of a request that is stored before it runs costs more than it is worth.
    textArray(runs.map((run) => seal.write(run.request))),
    textArray(runs.map((run) => storableText(run.sessionId))),
    textArray(runs.map(storedKey)),
    integerArray(runs.map((run) => run.limitMilliseconds)),
    integerArray(runs.map((run) => run.maximumAttempts)),
    textArray(runs.map((run) => storableTextOrNull(run.traceparent))),
    textArray(runs.map((run) => (run.retry ? JSON.stringify(run.retry) : null))),
    booleanArray(runs.map((run) => run.isLimited ?? false)),
    publishedPerUser,
    textArray(runs.map((run) => storableTextOrNull(run.requestId))),
    textArray(runs.map((run) => (run.callback ? storableText(JSON.stringify(run.callback)) : null))),
    textArray(runs.map(({ request: { keyId } }) => (keyId === undefined ? null : parseUuid(keyId)))),
  ];
}

async function find(connection: Queryable, runs: readonly NewRun[]): Promise<AcceptedRow[]> {
  const { rows } = await connection.query<AcceptedRow>({
    ...FIND_CANONICAL,
    values: [
      uuidArray(runs.map((run) => run.id)),
      uuidArray(runs.map((run) => run.flowId)),
      textArray(runs.map(storedKey)),
    ],
  });
  return rows;
}

/** Replaces a long key by its digest, because the size of an index entry is limited. */
function storedKey({ dedupeKey }: NewRun): string | null {
  if (dedupeKey === null || dedupeKey === undefined) return null;
  return dedupeKey.length > MAXIMUM_KEY_LENGTH
    ? `sha256:${createHash('sha256').update(dedupeKey).digest('hex')}`
    : storableText(dedupeKey);
}

function byDedupeKey(left: NewRun, right: NewRun): number {
  const leftKey = left.dedupeKey ?? '';
  const rightKey = right.dedupeKey ?? '';
  return leftKey < rightKey ? -1 : leftKey > rightKey ? 1 : 0;
}
