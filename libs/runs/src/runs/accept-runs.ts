import { createHash } from 'node:crypto';
import { booleanArray, integerArray, textArray, uuidArray } from '@millrace/database';
import type { Database } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { storableText, storableTextOrNull } from '../storable-text';
import { ACCEPTED_GRACE, AHEAD, WAITING } from './lifecycle';
import type { NewRun } from './run-record';
import type { RunStoreParts } from './run-store-parts';

const MAXIMUM_ROUNDS = 3;
const MAXIMUM_KEY_LENGTH = 400;

/** The run, or an earlier one that stands for it. */
const HOLDS = `runs.id = given.id OR (runs.flow_id = given.flow_id AND runs.dedupe_key = given.dedupe_key)`;

// What was there before is found by the same statement; what somebody else inserts meanwhile it does not see.
const ACCEPT = {
  name: 'runs-accept',
  text: `WITH given AS (
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::text[], $10::text[], $11::int[], $12::int[], $13::text[], $14::text[], $15::boolean[],
        $17::text[])
        AS given (id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id, dedupe_key,
          limit_milliseconds, maximum_attempts, traceparent, retry, is_limited, request_id)
    ), crowded AS (
      SELECT user_id, pool FROM (
        SELECT DISTINCT user_id, pool FROM given WHERE lane = 'background' AND $16::int > 0
      ) AS tenant
      WHERE EXISTS (SELECT FROM runs WHERE runs.user_id = tenant.user_id AND runs.pool = tenant.pool AND ${WAITING})
        OR (SELECT count(*) FROM (
          SELECT FROM runs WHERE runs.user_id = tenant.user_id AND runs.pool = tenant.pool AND ${AHEAD}
            LIMIT $16
        ) AS ahead) >= $16
    ), inserted AS (
      INSERT INTO runs (id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id, dedupe_key,
        limit_milliseconds, maximum_attempts, traceparent, retry, request_id, status, durable, accepted_at,
        next_sweep_at)
      SELECT id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id, dedupe_key,
        limit_milliseconds, maximum_attempts, traceparent, retry, request_id, 'accepted', true, now(), CASE
          WHEN lane = 'background' AND $16 IS NOT NULL AND (is_limited OR (user_id, pool) IN (SELECT * FROM crowded))
          THEN timestamptz 'infinity' ELSE now() + ${ACCEPTED_GRACE} END
      FROM given ON CONFLICT DO NOTHING RETURNING id, ${WAITING} AS waits
    )
    SELECT id, id AS holder, waits FROM inserted
    UNION ALL SELECT given.id, runs.id, coalesce(${WAITING}, false) FROM given
      JOIN runs ON ${HOLDS} WHERE given.id NOT IN (SELECT id FROM inserted)`,
};

const HOLDERS = {
  name: 'runs-holders',
  text: `SELECT given.id, runs.id AS holder, coalesce(${WAITING}, false) AS waits
    FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS given (id, flow_id, dedupe_key) JOIN runs ON ${HOLDS}`,
};

type HolderRow = Acceptance & { readonly id: string };

/** What became of a run that was to be accepted. */
export interface Acceptance {
  /** The run that stands for it: itself, or an earlier one with its dedupe key. */
  readonly holder: string;
  /** It must wait for its turn: nobody may publish it before `advance` names it. */
  readonly waits: boolean;
}

/**
 * See RunStore.admit; without `ahead` nobody waits. One statement; a second one only when two runs with one dedupe key
 * meet.
 */
export async function acceptRuns(
  { database, seal }: RunStoreParts,
  runs: readonly NewRun[],
  ahead: number | null,
): Promise<Map<string, Acceptance>> {
  const acceptances = new Map<string, Acceptance>();
  let open = runs;
  for (let round = 1; open.length > 0; round += 1) {
    // Only a run deleted between the two statements, with its flow, is neither inserted nor found.
    if (round > MAXIMUM_ROUNDS) throw new Error(`${open.length} runs could neither be accepted nor found`);
    for (const { id, holder, waits } of await insert({ database, seal }, open, ahead))
      acceptances.set(id, { holder, waits });
    open = open.filter(({ id }) => !acceptances.has(id));
    if (open.length === 0) break;
    for (const { id, holder, waits } of await find(database, open)) acceptances.set(id, { holder, waits });
    open = open.filter(({ id }) => !acceptances.has(id));
  }
  return acceptances;
}

async function insert(
  { database, seal }: RunStoreParts,
  runs: readonly NewRun[],
  ahead: number | null,
): Promise<HolderRow[]> {
  // Sorted: two batches with the same dedupe keys must not wait for each other crosswise.
  const sorted = [...runs].sort(byDedupeKey);
  const values = [
    uuidArray(sorted.map((run) => run.id)),
    uuidArray(sorted.map((run) => run.flowId)),
    integerArray(sorted.map((run) => run.flowVersion)),
    uuidArray(sorted.map((run) => run.userId)),
    textArray(sorted.map((run) => run.lane)),
    textArray(sorted.map((run) => storableText(run.pool))),
    textArray(sorted.map((run) => run.origin)),
    textArray(sorted.map((run) => seal.write(run.request))),
    textArray(sorted.map((run) => storableText(run.sessionId))),
    textArray(sorted.map(storedKey)),
    integerArray(sorted.map((run) => run.limitMilliseconds)),
    integerArray(sorted.map((run) => run.maximumAttempts)),
    textArray(sorted.map((run) => storableTextOrNull(run.traceparent))),
    textArray(sorted.map((run) => (run.retry ? JSON.stringify(run.retry) : null))),
    booleanArray(sorted.map((run) => run.isLimited ?? false)),
    ahead,
    textArray(sorted.map((run) => storableTextOrNull(run.requestId))),
  ];
  const statement = { ...ACCEPT, values };
  const { rows } = await retryOnDeadlock(() => database.query<HolderRow>(statement));
  return rows;
}

async function find(database: Database, runs: readonly NewRun[]): Promise<HolderRow[]> {
  const { rows } = await database.query<HolderRow>({
    ...HOLDERS,
    values: [
      uuidArray(runs.map((run) => run.id)),
      uuidArray(runs.map((run) => run.flowId)),
      textArray(runs.map(storedKey)),
    ],
  });
  return rows;
}

/** A long key by its digest: an index entry has an end. */
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
