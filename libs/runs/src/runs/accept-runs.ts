import { createHash } from 'node:crypto';
import type { Database } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { storableText, storableTextOrNull } from '../storable-text';
import { ACCEPTED_GRACE } from './lifecycle';
import type { NewRun } from './run-record';

const MAXIMUM_ROUNDS = 3;
const MAXIMUM_KEY_LENGTH = 400;

const ACCEPT = {
  name: 'runs-accept',
  text: `INSERT INTO runs (id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id, dedupe_key,
      limit_milliseconds, maximum_attempts, traceparent, retry, status, durable, accepted_at, next_sweep_at)
    SELECT *, 'accepted', true, now(), now() + ${ACCEPTED_GRACE} FROM unnest($1::uuid[], $2::uuid[], $3::int[],
      $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::int[], $12::int[],
      $13::text[], $14::text[])
    ON CONFLICT DO NOTHING RETURNING id`,
};

const HOLDERS = {
  name: 'runs-holders',
  text: `SELECT given.id, runs.id AS holder FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS given (id, flow_id, key)
    JOIN runs ON runs.id = given.id OR (runs.flow_id = given.flow_id AND runs.dedupe_key = given.key)`,
};

/** See RunStore.accept. One statement; a second one only when a dedupe key or an id was there before. */
export async function acceptRuns(database: Database, runs: readonly NewRun[]): Promise<Map<string, string>> {
  const holders = new Map<string, string>();
  let open = runs;
  for (let round = 1; open.length > 0; round += 1) {
    // Only a run deleted between the two statements, with its flow, is neither inserted nor found.
    if (round > MAXIMUM_ROUNDS) throw new Error(`${open.length} runs could neither be accepted nor found`);
    for (const id of await insert(database, open)) holders.set(id, id);
    open = open.filter(({ id }) => !holders.has(id));
    if (open.length === 0) break;
    for (const { id, holder } of await find(database, open)) holders.set(id, holder);
    open = open.filter(({ id }) => !holders.has(id));
  }
  return holders;
}

async function insert(database: Database, runs: readonly NewRun[]): Promise<string[]> {
  // Sorted: two batches with the same dedupe keys must not wait for each other crosswise.
  const sorted = [...runs].sort(byDedupeKey);
  const values = [
    sorted.map((run) => run.id),
    sorted.map((run) => run.flowId),
    sorted.map((run) => run.flowVersion),
    sorted.map((run) => run.userId),
    sorted.map((run) => run.lane),
    sorted.map((run) => storableText(run.pool)),
    sorted.map((run) => run.origin),
    sorted.map((run) => JSON.stringify(run.request)),
    sorted.map((run) => storableText(run.sessionId)),
    sorted.map(storedKey),
    sorted.map((run) => run.limitMilliseconds),
    sorted.map((run) => run.maximumAttempts),
    sorted.map((run) => storableTextOrNull(run.traceparent)),
    sorted.map((run) => (run.retry ? JSON.stringify(run.retry) : null)),
  ];
  const { rows } = await retryOnDeadlock(() => database.query<{ id: string }>({ ...ACCEPT, values }));
  return rows.map(({ id }) => id);
}

async function find(database: Database, runs: readonly NewRun[]): Promise<{ id: string; holder: string }[]> {
  const { rows } = await database.query<{ id: string; holder: string }>({
    ...HOLDERS,
    values: [runs.map((run) => run.id), runs.map((run) => run.flowId), runs.map(storedKey)],
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
