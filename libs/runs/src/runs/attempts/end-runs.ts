import { integerArray, textArray, timestampArray, uuidArray } from '@millrace/database';
import type { Database } from '@millrace/database';
import { storableText, storableTextOrNull } from '@millrace/python-text';
import { parseUuid } from '../../flows/parse-uuid';
import { insertMessagesOf, messageParameters } from '../../messages/message-columns';
import { insertTracesOf, traceParameters } from '../../traces/insert-traces';
import { insertCallbacksSql } from '../../callbacks/insert-callbacks';
import { WAITS_BRIEFLY } from '../../lock-timeout';
import { insertDeadLettersSql } from './dead-letters';
import { passLocked } from './pass-locked';
import type { EndingOptions, InteractiveRun, RunCompletion, RunObservations } from './run-completion';
import { writeFailure } from '../run-rows';
import type { RequestSeal } from '../../encryption/request-seal';
import type { RowValues } from '../../text-templates/text-template';
import type { TextTemplates } from '../../text-templates/text-templates';
import type { RunStoreParts } from '../run-store-parts';

const COMPLETE = {
  name: 'runs-complete',
  text: `WITH ended AS (
      UPDATE runs SET status = given.status, result = given.result, failure = given.failure,
        usage = coalesce(given.usage, runs.usage), finished_at = now(), lease_until = NULL, next_sweep_at = NULL
      FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[])
        AS given (id, attempt, status, result, failure, usage)
      WHERE runs.id = given.id AND runs.attempt = given.attempt AND runs.status = 'running' AND ${WAITS_BRIEFLY}
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
        started_at, finished_at, usage, key_id, durable)
      SELECT *, false FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::text[], $10::int[], $11::int[], $12::text[], $13::int[], $14::text[], $15::text[],
        $16::text[], $17::text[], $18::timestamptz[], $19::timestamptz[], $20::timestamptz[], $21::text[], $22::text[]::uuid[])
      WHERE ${WAITS_BRIEFLY}
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, result = excluded.result,
        failure = excluded.failure, usage = excluded.usage, finished_at = excluded.finished_at, lease_until = NULL,
        next_sweep_at = NULL
      WHERE runs.status = 'running' AND runs.attempt = excluded.attempt
      RETURNING id, flow_id, user_id, status, callback
    ), noted AS (${insertDeadLettersSql('recorded')}), reported AS (${insertCallbacksSql('recorded')}), archived AS (${insertMessagesOf('recorded', 23)}),
    traced AS (${insertTracesOf('recorded', 33)})
    SELECT id FROM recorded`,
};

/** The messages of runs that get no row. */
const RECORD_MESSAGES = {
  name: 'runs-record-messages',
  text: `WITH ended AS (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS given (id, user_id) WHERE ${WAITS_BRIEFLY}),
    archived AS (${insertMessagesOf('ended', 3)})
    SELECT id FROM ended`,
};

const ALREADY_ENDED = {
  name: 'runs-ended-so',
  text: `SELECT runs.id FROM runs JOIN unnest($1::uuid[], $2::int[], $3::text[]) AS given (id, attempt, status)
    ON runs.id = given.id AND runs.attempt = given.attempt AND runs.status = given.status`,
};

/** See RunStore.complete. Takes one statement, and therefore one transaction. */
export async function completeRuns(
  { database, templates }: RunStoreParts,
  ends: readonly RunCompletion[],
  options: EndingOptions,
): Promise<Set<string>> {
  const identified = ends.map((end) => ({ ...end, id: end.runId }));
  return endRuns({
    database,
    ends: identified,
    options,
    statement: COMPLETE,
    parametersOf: (unique) => completionParameters(unique, templates),
  });
}

/** See RunStore.record. Takes one statement, and therefore one transaction. */
export async function recordRuns(
  { database, seal, templates }: RunStoreParts,
  runs: readonly InteractiveRun[],
  options: EndingOptions,
): Promise<Set<string>> {
  const rowless = onePerRun(runs.filter(({ kept }) => kept === 'none'));
  if (rowless.length > 0) {
    const ids = uuidArray(rowless.map(({ id }) => id));
    const users = uuidArray(rowless.map(({ userId }) => userId));
    await database.query({
      ...RECORD_MESSAGES,
      values: [ids, users, ...messageParameters(rowless, templates)],
    });
    if (rowless.length === runs.length) return new Set(rowless.map(({ id }) => id));
  }
  const rows = rowless.length === 0 ? runs : runs.filter(({ kept }) => kept !== 'none');
  const parametersOf = (unique: readonly InteractiveRun[]) => recordParameters(unique, seal, templates);
  const recorded = await endRuns({ database, ends: rows, options, statement: RECORD, parametersOf });
  for (const { id } of rowless) recorded.add(id);
  return recorded;
}

function completionParameters(
  ends: readonly (RunCompletion & { readonly id: string })[],
  templates: TextTemplates,
): unknown[] {
  return [
    uuidArray(ends.map((end) => end.id)),
    integerArray(ends.map((end) => end.attempt)),
    textArray(ends.map((end) => end.status)),
    textArray(
      ends.map(({ id, flowId = null, sessionId = null, result }) =>
        templates.write('answer', result, { runId: id, flowId, sessionId }),
      ),
    ),
    textArray(ends.map((end) => writeFailure(end.failure))),
    textArray(ends.map((end) => usageText(end, templates))),
    ...messageParameters(ends, templates),
    ...traceParameters(ends),
  ];
}

function recordParameters(
  runs: readonly InteractiveRun[],
  seal: RequestSeal,
  templates: TextTemplates,
): unknown[] {
  return [
    uuidArray(runs.map((run) => run.id)),
    uuidArray(runs.map((run) => run.flowId)),
    integerArray(runs.map((run) => run.flowVersion)),
    uuidArray(runs.map((run) => run.userId)),
    textArray(runs.map((run) => run.lane)),
    textArray(runs.map((run) => storableText(run.pool))),
    textArray(runs.map((run) => run.origin)),
    textArray(
      runs.map((run) =>
        run.kept === 'lean' ? null : templates.write('request', seal.write(run.request), rowValues(run)),
      ),
    ),
    textArray(runs.map((run) => storableText(run.sessionId))),
    integerArray(runs.map((run) => run.limitMilliseconds)),
    integerArray(runs.map((run) => run.maximumAttempts)),
    textArray(runs.map((run) => storableTextOrNull(run.traceparent))),
    integerArray(runs.map((run) => run.attempt)),
    textArray(runs.map((run) => run.worker)),
    textArray(runs.map((run) => run.status)),
    textArray(
      runs.map((run) => (run.kept === 'lean' ? null : templates.write('answer', run.result, rowValues(run)))),
    ),
    textArray(runs.map((run) => writeFailure(run.failure))),
    timestampArray(runs.map((run) => run.acceptedAt)),
    timestampArray(runs.map((run) => run.startedAt)),
    timestampArray(runs.map((run) => run.finishedAt)),
    textArray(runs.map((run) => usageText(run, templates))),
    textArray(runs.map(({ keyId }) => (keyId ? parseUuid(keyId) : null))),
    ...messageParameters(runs, templates),
    ...traceParameters(runs),
  ];
}

function rowValues({ id, flowId, sessionId }: InteractiveRun): RowValues {
  return { runId: id, flowId, sessionId };
}

/** Usage contains no ids. */
function usageText(
  { usage, flowId }: RunObservations & { readonly flowId?: string },
  templates: TextTemplates,
): string | null {
  if (usage === null || usage === undefined) return null;
  return templates.write('usage', usage, { runId: null, flowId: flowId ?? null, sessionId: null });
}

interface Ending {
  readonly id: string;
  readonly attempt: number;
  readonly status: string;
}

interface Ends<End extends Ending> {
  readonly database: Database;
  readonly ends: readonly End[];
  readonly options: EndingOptions;
  readonly statement: { readonly name: string; readonly text: string };
  parametersOf(ends: readonly End[]): unknown[];
}

/** Resolves to the runs whose end was stored. */
async function endRuns<End extends Ending>({
  database,
  ends,
  options: { afterUnknownOutcome = false, onLocked },
  statement,
  parametersOf,
}: Ends<End>): Promise<Set<string>> {
  const unique = onePerRun(ends);
  const stored = new Set<string>();
  const locked = new Set<string>();
  const unlocked = () => unique.filter(({ id }) => !locked.has(id));
  await passLocked({
    database,
    isRetry: afterUnknownOutcome,
    pending: () => unlocked().map(({ id }) => id),
    onLocked: (id) => locked.add(id),
    change: async () => {
      const { rows } = await database.query<{ id: string }>({
        ...statement,
        values: parametersOf(unlocked()),
      });
      for (const { id } of rows) stored.add(id);
    },
  });
  for (const id of locked) onLocked?.(id);
  const missing = afterUnknownOutcome ? unlocked().filter(({ id }) => !stored.has(id)) : [];
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
