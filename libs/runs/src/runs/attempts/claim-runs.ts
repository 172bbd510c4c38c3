import { recordSettingsOf } from '@millrace/flow';
import type { RetryRule } from '@millrace/flow';
import type { RunEnd } from '@millrace/messages';
import { booleanArray, integerArray, textArray, uuidArray } from '@millrace/database';
import type { Database } from '@millrace/database';
import type { Claim, ClaimedRun, ClaimRequest } from './claim';
import { insertCallbacksSql } from '../../callbacks/insert-callbacks';
import { flowSetting } from '../../flows/flow-setting';
import { WAITS_BRIEFLY } from '../../lock-timeout';
import { BACKS_OFF, CRASH_BACKOFF, UNTIL_NEXT_SWEEP } from './crash-backoff';
import { insertDeadLettersSql } from './dead-letters';
import { isIsolatedLoss } from './isolated-loss';
import { passLocked } from './pass-locked';
import { CANCELLED, EXHAUSTED, LEASE, WAITS_FOR_ATTEMPT } from '../lifecycle';
import { beginAttemptsSql, endAttemptsSql, workerBefore } from './run-attempts';
import { parsedObject } from '../../parsed-object';
import { wholeText } from '../../text-templates/whole-text';
import { readFailure } from '../run-rows';
import { forgetSuspensionsSql } from '../forget-suspensions';
import type { LostAttempt } from './failed-run-log';
import type { RunStatus } from '../../run-record/run-record';
import type { RunStoreParts } from '../run-store-parts';

const MAXIMUM_ROUNDS = 3;

const REQUESTED_CLAIMS = `unnest($1::uuid[], $2::text[], $3::boolean[], $4::boolean[], $5::int[], $6::text[])
  AS wanted (run_id, worker, redelivered, again, silent, left_by)`;

/** The lease was neither taken nor renewed since the executors were asked who has the run. */
const UNRENEWED_SINCE_ASKED = `runs.lease_until <= now() + ${LEASE} - wanted.silent * interval '1 millisecond'`;

/** An earlier try of this claim was committed, but its answer was lost. */
const UNACKNOWLEDGED_CLAIM = `(wanted.again AND runs.status = 'running' AND runs.worker = wanted.worker)`;

/** The executor that had it shut down gracefully, but could not record the hand-off. */
const HANDED_OFF = `(runs.status = 'running' AND runs.worker = wanted.left_by)`;

/** The attempt in the row ended for a reason other than the run, so it does not count. */
const DOES_NOT_COUNT = `coalesce(${UNACKNOWLEDGED_CLAIM} OR ${HANDED_OFF}, false)`;

/** The attempt in the row was lost with its executor, which it did not end. */
const LOST_IN_ISOLATION = `(runs.status = 'running' AND NOT ${DOES_NOT_COUNT} AND ${isIsolatedLoss('$7::boolean')})`;
const UNCOUNTED_ATTEMPT = `(${DOES_NOT_COUNT} OR ${LOST_IN_ISOLATION})::int`;

/** The attempt in the row was lost with its executor, and the next one does not begin yet. */
const LOST_AND_BACKS_OFF = `(runs.status = 'running' AND ${BACKS_OFF} AND NOT ${DOES_NOT_COUNT})`;

/** No executor has the run, or the one that had it is presumed dead, and it does not wait for its next attempt. */
const CLAIMABLE = `runs.id = wanted.run_id AND (runs.status IN ('accepted', 'queued') AND NOT ${WAITS_FOR_ATTEMPT}
  OR (runs.status = 'running' AND (runs.lease_until < now() OR (wanted.redelivered AND ${UNRENEWED_SINCE_ASKED}) OR ${UNACKNOWLEDGED_CLAIM} OR ${HANDED_OFF})))`;

const ATTEMPTS_LEFT = `runs.attempt - runs.free_attempts - ${UNCOUNTED_ATTEMPT} < runs.maximum_attempts
  AND NOT runs.cancel_requested`;

/**
 * Why a further attempt is needed. The end of an attempt that a rule, a release or the sweeper ended is kept. The attempt of a
 * claim whose answer was lost never began: its executor, which claims again, lost its connection and not the run.
 */
const REPEAT_REASON = `CASE
  WHEN wanted.again AND before.status = 'running' AND before.worker = wanted.worker THEN 'given_back'
  WHEN before.status = 'running' AND before.worker = wanted.left_by THEN 'handed_off'
  WHEN before.status = 'running' THEN 'executor_lost'
  ELSE coalesce((SELECT outcome FROM run_attempts WHERE run_id = before.id AND attempt = before.attempt), 'given_back') END`;

/** Reads the row as it was before the claim; null, and without a cost, for a first attempt. */
const beforeSql = (column: string) =>
  `CASE WHEN runs.attempt > 1 THEN (SELECT ${column} FROM runs AS before WHERE before.id = runs.id) END`;

const CLAIM = {
  name: 'runs-claim',
  text: `WITH claimed AS (UPDATE runs SET status = 'running', attempt = runs.attempt + 1, worker = wanted.worker,
      free_attempts = runs.free_attempts + ${UNCOUNTED_ATTEMPT},
      lease_until = now() + ${LEASE}, started_at = coalesce(runs.started_at, now())
    FROM ${REQUESTED_CLAIMS} WHERE ${CLAIMABLE} AND ${ATTEMPTS_LEFT} AND NOT ${LOST_AND_BACKS_OFF} AND ${WAITS_BRIEFLY}
    RETURNING runs.id, runs.attempt, runs.attempt - runs.free_attempts AS "countedAttempts",
      CASE WHEN runs.attempt > 1 THEN (SELECT count(*)::int FROM human_requests
        WHERE run_id = runs.id AND decided_at IS NOT NULL) END AS answers,
      runs.maximum_attempts AS "maximumAttempts", runs.retry, runs.retries, ${wholeText('request')} AS request, runs.flow_id AS "flowId",
      runs.flow_version AS "flowVersion", runs.user_id AS "userId", runs.lane, runs.pool, runs.origin,
      runs.session_id AS "sessionId", runs.limit_milliseconds AS "limitMilliseconds", runs.traceparent,
      CASE WHEN runs.replay_of IS NOT NULL THEN (SELECT replayed.traceparent FROM runs AS replayed
        WHERE replayed.id = runs.replay_of) END AS "replayedTraceparent",
      runs.request_id AS "requestId", runs.key_id AS "keyId", runs.accepted_at AS "acceptedAt", ${wholeText('usage')} AS usage, runs.worker, runs.started_at,
      (SELECT ${flowSetting('records')} FROM flows WHERE flows.id = runs.flow_id) AS "recordSettings",
      ${beforeSql(REPEAT_REASON)} AS "repeatReason", ${beforeSql('before.worker')} AS "previousWorker"
    ), begun AS (${beginAttemptsSql('claimed')})
    SELECT * FROM claimed`,
};

// Back to accepted: the sweeper publishes the run when the wait is over.
const BACK_OFF = {
  name: 'runs-back-off',
  text: `WITH lost AS (
      UPDATE runs SET status = 'accepted', worker = NULL, lease_until = NULL, sweeps = 0,
        free_attempts = runs.free_attempts + ${UNCOUNTED_ATTEMPT},
        next_sweep_at = now() + ${CRASH_BACKOFF}
      FROM ${REQUESTED_CLAIMS} WHERE ${CLAIMABLE} AND ${ATTEMPTS_LEFT} AND ${LOST_AND_BACKS_OFF} AND ${WAITS_BRIEFLY}
      RETURNING runs.id, runs.attempt, runs.started_at, 'executor_lost' AS outcome, NULL::text AS failure,
        ${workerBefore} AS worker, runs.flow_id AS "flowId", runs.user_id AS "userId", runs.lane, runs.pool,
        runs.request_id AS "requestId", ${UNTIL_NEXT_SWEEP} AS "retryInMilliseconds"
    ), kept AS (${endAttemptsSql('lost')})
    SELECT id AS "runId", attempt, worker, "flowId", "userId", lane, pool, "requestId", "retryInMilliseconds" FROM lost`,
};

const MARK_DEAD = {
  name: 'runs-mark-dead',
  text: `WITH marked AS (
      UPDATE runs SET status = CASE WHEN runs.cancel_requested THEN 'cancelled' ELSE 'dead' END,
      failure = CASE WHEN runs.cancel_requested THEN '${CANCELLED}' ELSE '${EXHAUSTED}' END,
      finished_at = now(), lease_until = NULL, next_sweep_at = NULL
    FROM ${REQUESTED_CLAIMS} WHERE ${CLAIMABLE} AND NOT (${ATTEMPTS_LEFT}) AND ${WAITS_BRIEFLY}
    RETURNING runs.id, runs.status, runs.flow_id, runs.user_id, runs.callback
    ), noted AS (${insertDeadLettersSql('marked')}), reported AS (${insertCallbacksSql('marked')}),
    ${forgetSuspensionsSql('marked')}
    SELECT id, status FROM marked`,
};

const INSPECT = {
  name: 'runs-inspect',
  text: `SELECT id, status, ${wholeText('result')} AS result, failure, worker, attempt, request_id AS "requestId"
    FROM runs WHERE id = ANY($1::uuid[])`,
};

type ClaimedRow = Omit<ClaimedRun, 'outcome' | 'request' | 'retry'> & {
  readonly id: string;
  readonly worker: string;
  readonly started_at: Date;
  readonly request: string;
  readonly retry: string | null;
};

interface InspectedRow {
  readonly id: string;
  readonly status: RunStatus;
  readonly result: string | null;
  readonly failure: string | null;
  readonly worker: string | null;
  readonly attempt: number;
  readonly requestId: string | null;
}

/**
 * See RunStore.claim. Takes one statement when every run can be claimed. Up to three more
 * inspect the others, in each of at most MAXIMUM_ROUNDS rounds.
 */
export async function claimRuns(
  parts: RunStoreParts,
  claims: readonly ClaimRequest[],
): Promise<Map<string, Claim>> {
  const answers = new Map<string, Claim>();
  const sorted = uniqueSortedClaims(claims);
  const unresolved = () => sorted.filter(({ runId }) => !answers.has(runId));
  await passLocked({
    database: parts.database,
    isRetry: sorted.some(({ again }) => again),
    pending: () => unresolved().map(({ runId }) => runId),
    onLocked: (runId) => answers.set(runId, { outcome: 'locked' }),
    change: () => claimUnlocked(parts, unresolved(), answers),
  });
  return answers;
}

/** Adds the answers to the claims. */
async function claimUnlocked(
  parts: RunStoreParts,
  claims: readonly ClaimRequest[],
  answers: Map<string, Claim>,
): Promise<void> {
  let unresolved = claims;
  for (let round = 1; unresolved.length > 0; round += 1) {
    for (const [id, claim] of await claimAvailable(parts, unresolved)) answers.set(id, claim);
    unresolved = unresolved.filter(({ runId }) => !answers.has(runId));
    if (unresolved.length === 0) break;
    for (const lost of await backOff(parts, unresolved))
      answers.set(lost.runId, { outcome: 'postponed', lost });
    unresolved = unresolved.filter(({ runId }) => !answers.has(runId));
    if (unresolved.length === 0) break;
    const markedDead = await markDead(parts, unresolved);
    // A run handed off between the statements is worth another round; in the last round it counts as held.
    const inspected = await inspect(parts.database, unresolved, markedDead, round === MAXIMUM_ROUNDS);
    for (const [id, claim] of inspected) answers.set(id, claim);
    unresolved = unresolved.filter(({ runId }) => !answers.has(runId));
  }
}

/** Returns one claim per run, sorted, so that batches of different workers lock the rows in the same order. */
function uniqueSortedClaims(claims: readonly ClaimRequest[]): ClaimRequest[] {
  const byRun = new Map(claims.map((claim) => [claim.runId, claim]));
  return [...byRun.values()].sort((left, right) => (left.runId < right.runId ? -1 : 1));
}

function parameters(claims: readonly ClaimRequest[], isolatesLastAttempts: boolean): unknown[] {
  const now = performance.now();
  return [
    uuidArray(claims.map(({ runId }) => runId)),
    textArray(claims.map(({ worker }) => worker)),
    booleanArray(claims.map(({ redelivered }) => redelivered)),
    booleanArray(claims.map(({ again = false }) => again)),
    // Measured for each try: a claim can wait for a lock or for the database.
    integerArray(claims.map(({ askedAt = now }) => Math.ceil(now - askedAt))),
    textArray(claims.map(({ leftBy }) => leftBy ?? null)),
    isolatesLastAttempts,
  ];
}

async function claimAvailable(
  { database, seal, isolatesLastAttempts }: RunStoreParts,
  claims: readonly ClaimRequest[],
): Promise<(readonly [string, Claim])[]> {
  const values = parameters(claims, isolatesLastAttempts);
  const { rows } = await database.query<ClaimedRow>({ ...CLAIM, values });
  return rows.map(
    ({ id, request, retry, recordSettings, worker: _worker, started_at: _startedAt, ...row }) => {
      const rule = parsedObject(retry) as RetryRule | null;
      return [
        id,
        {
          outcome: 'claimed',
          ...row,
          retry: rule,
          recordSettings: recordSettingsOf(recordSettings),
          request: seal.read(request),
        },
      ];
    },
  );
}

/** Makes runs wait for their next attempt whose executors were lost repeatedly. */
async function backOff(
  { database, isolatesLastAttempts }: RunStoreParts,
  claims: readonly ClaimRequest[],
): Promise<readonly LostAttempt[]> {
  const values = parameters(claims, isolatesLastAttempts);
  return (await database.query<LostAttempt>({ ...BACK_OFF, values })).rows;
}

/** Ends claimable runs that have no attempt left or are to be cancelled; resolves to the dead ones. */
async function markDead(
  { database, isolatesLastAttempts }: RunStoreParts,
  claims: readonly ClaimRequest[],
): Promise<ReadonlySet<string>> {
  const values = parameters(claims, isolatesLastAttempts);
  const { rows } = await database.query<{ id: string; status: RunStatus }>({ ...MARK_DEAD, values });
  return new Set(rows.filter(({ status }) => status === 'dead').map(({ id }) => id));
}

async function inspect(
  database: Database,
  claims: readonly ClaimRequest[],
  markedDead: ReadonlySet<string>,
  isLastRound: boolean,
): Promise<Map<string, Claim>> {
  const { rows } = await database.query<InspectedRow>({
    ...INSPECT,
    values: [claims.map(({ runId }) => runId)],
  });
  const answers = new Map<string, Claim>();
  for (const row of rows) {
    const { attempt, requestId } = row;
    if (markedDead.has(row.id)) answers.set(row.id, { outcome: 'exhausted', attempt, requestId });
    else if (
      row.status === 'running' ||
      row.status === 'suspended' ||
      ((row.status === 'accepted' || row.status === 'queued') && isLastRound)
    ) {
      answers.set(row.id, { outcome: 'held', worker: row.worker, attempt });
    } else if (row.status !== 'accepted' && row.status !== 'queued')
      answers.set(row.id, finished(row, row.status));
  }
  const found = new Set(rows.map(({ id }) => id));
  for (const { runId } of claims) if (!found.has(runId)) answers.set(runId, { outcome: 'unknown' });
  return answers;
}

function finished(row: InspectedRow, status: RunEnd): Claim {
  return {
    outcome: 'finished',
    status,
    resultText: row.result,
    failure: readFailure(row.failure),
    attempt: row.attempt,
  };
}
