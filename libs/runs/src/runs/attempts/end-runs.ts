import { integerArray, textArray, timestampArray, uuidArray } from '@millrace/database';
import type { Database } from '@millrace/database';
import { storableText, storableTextOrNull } from '@millrace/python-text';
import { insertMessagesOf, messageParameters } from '../../messages/message-columns';
import { retryOnDeadlock } from '../../retry-on-deadlock';
import { insertTracesOf, traceParameters } from '../../traces/insert-traces';
import { insertCallbacksSql } from '../../callbacks/insert-callbacks';
import { insertDeadLettersSql } from './dead-letters';
import type { EndingOptions, InteractiveRun, RunCompletion } from './run-completion';
import { writeFailure } from '../run-rows';
import type { RunStoreParts } from '../run-store-parts';

const COMPLETE = {
  name: 'runs-complete',
  text: `WITH ended AS (
      UPDATE runs SET status = given.status, result = given.result, failure = given.failure,
        usage = coalesce(given.usage, runs.usage), finished_at = now(), lease_until = NULL, next_sweep_at = NULL
      FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[])
        AS given (id, attempt, status, result, failure, usage)
      WHERE runs.id = given.id AND runs.attempt = given.attempt AND runs.status = 'running'
      RETURNING runs.id, runs.flow_id, runs.user_id, runs.status, runs.callback
    ), noted AS (${insertDeadLettersSql('ended')}), reported AS (${insertCallbacksSql('ended')}), archived AS (${insertMessagesOf('ended', 7)}),
    traced AS (${insertTracesOf('ended', 17)})
    SELECT id FROM ended`,
};

const RECORD = {
  name: 'runs-record',
  text: `WITH recorded AS (
      INSERT INTO runs (id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id,
        limit_milliseconds, maximum_attempts, traceparent, attempt, worker, status, result, failure, accepted_at,
        started_at, finished_at, usage, durable)
      SELECT *, false FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::text[], $10::int[], $11::int[], $12::text[], $13::int[], $14::text[], $15::text[],
        $16::text[], $17::text[], $18::timestamptz[], $19::timestamptz[], $20::timestamptz[], $21::text[])
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, result = excluded.result,
        failure = excluded.failure, usage = excluded.usage, finished_at = excluded.finished_at, lease_until = NULL,
        next_sweep_at = NULL
      WHERE runs.status = 'running' AND runs.attempt = excluded.attempt
      RETURNING id, flow_id, user_id, status, callback
    ), noted AS (${insertDeadLettersSql('recorded')}), reported AS (${insertCallbacksSql('recorded')}), archived AS (${insertMessagesOf('recorded', 22)}),
    traced AS (${insertTracesOf('recorded', 32)})
    SELECT id FROM recorded`,
};

const ALREADY_ENDED = {
  name: 'runs-ended-so',
  text: `SELECT runs.id FROM runs JOIN unnest($1::uuid[], $2::int[], $3::text[]) AS given (id, attempt, status)
    ON runs.id = given.id AND runs.attempt = given.attempt AND runs.status = given.status`,
};

/** See RunStore.complete. Takes one statement, and therefore one transaction. */
export async function completeRuns(
  database: Database,
  ends: readonly RunCompletion[],
  options: EndingOptions,
): Promise<Set<string>> {
  const unique = onePerRun(ends.map((end) => ({ ...end, id: end.runId })));
  const values = [
    uuidArray(unique.map((end) => end.id)),
    integerArray(unique.map((end) => end.attempt)),
    textArray(unique.map((end) => end.status)),
    textArray(unique.map((end) => end.result)),
    textArray(unique.map((end) => writeFailure(end.failure))),
    textArray(unique.map((end) => end.usage ?? null)),
    ...messageParameters(unique),
    ...traceParameters(unique),
  ];
  return end(database, { ...COMPLETE, values }, unique, options);
}

/** See RunStore.record. Takes one statement, and therefore one transaction. */
export async function recordRuns(
  { database, seal }: RunStoreParts,
  runs: readonly InteractiveRun[],
  options: EndingOptions,
): Promise<Set<string>> {
  const unique = onePerRun(runs);
  const values = [
    uuidArray(unique.map((run) => run.id)),
    uuidArray(unique.map((run) => run.flowId)),
    integerArray(unique.map((run) => run.flowVersion)),
    uuidArray(unique.map((run) => run.userId)),
    textArray(unique.map((run) => run.lane)),
    textArray(unique.map((run) => storableText(run.pool))),
    textArray(unique.map((run) => run.origin)),
    textArray(unique.map((run) => seal.write(run.request))),
    textArray(unique.map((run) => storableText(run.sessionId))),
    integerArray(unique.map((run) => run.limitMilliseconds)),
    integerArray(unique.map((run) => run.maximumAttempts)),
    textArray(unique.map((run) => storableTextOrNull(run.traceparent))),
    integerArray(unique.map((run) => run.attempt)),
    textArray(unique.map((run) => run.worker)),
    textArray(unique.map((run) => run.status)),
    textArray(unique.map((run) => run.result)),
    textArray(unique.map((run) => writeFailure(run.failure))),
    timestampArray(unique.map((run) => run.acceptedAt)),
    timestampArray(unique.map((run) => run.startedAt)),
    timestampArray(unique.map((run) => run.finishedAt)),
    textArray(unique.map((run) => run.usage ?? null)),
    ...messageParameters(unique),
    ...traceParameters(unique),
  ];
  return end(database, { ...RECORD, values }, unique, options);
}

interface Ending {
  readonly id: string;
  readonly attempt: number;
  readonly status: string;
}

async function end(
  database: Database,
  statement: { readonly name: string; readonly text: string; readonly values: unknown[] },
  ends: readonly Ending[],
  { afterUnknownOutcome = false }: EndingOptions,
): Promise<Set<string>> {
  if (ends.length === 0) return new Set();
  const { rows } = await retryOnDeadlock(() => database.query<{ id: string }>(statement));
  const stored = new Set(rows.map(({ id }) => id));
  const missing = afterUnknownOutcome ? ends.filter(({ id }) => !stored.has(id)) : [];
  if (missing.length === 0) return stored;
  const before = await database.query<{ id: string }>({
    ...ALREADY_ENDED,
    values: [
      missing.map(({ id }) => id),
      missing.map(({ attempt }) => attempt),
      missing.map(({ status }) => status),
    ],
  });
  for (const { id } of before.rows) stored.add(id);
  return stored;
}

/** Keeps the first end of each run, sorted, so that batches of different workers lock the rows in the same order. */
function onePerRun<T extends { readonly id: string }>(ends: readonly T[]): T[] {
  const byRun = new Map<string, T>();
  for (const given of ends) if (!byRun.has(given.id)) byRun.set(given.id, given);
  return [...byRun.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
}
