import { storableText, storableTextOrNull } from '@millrace/python-text';
import { parseUuid } from '../../flows/parse-uuid';
import { insertCallbacksSql } from '../../callbacks/insert-callbacks';
import { insertDeadLettersSql } from './dead-letters';
import { EXHAUSTED, LEASE } from '../lifecycle';
import { beginAttemptsSql, workerBefore } from './run-attempts';
import type { NewRun, RunRecord } from '../../run-record/run-record';
import { RUN_COLUMNS, toRunRecord, wholeRow } from '../run-rows';
import type { RunRow } from '../run-rows';
import type { RunStoreParts } from '../run-store-parts';

/** Outcome of beginning a redelivered run. */
export type RedeliveredStart =
  /** `countedAttempts` excludes attempts that ended by a drain or a lost connection. */
  | { readonly attempt: number; readonly countedAttempts: number }
  | { readonly finished: RunRecord }
  /** `lastAttempt` was lost with its executor. */
  | { readonly exhausted: true; readonly lastAttempt: number };

// The first attempt left no row, because its executor crashed. The row therefore begins with the second attempt.
const BEGIN = {
  name: 'runs-begin-redelivered',
  text: `WITH begun AS (INSERT INTO runs (id, flow_id, flow_version, user_id, lane, pool, origin, request, session_id,
      limit_milliseconds, maximum_attempts, traceparent, worker, attempt, status, durable, accepted_at, started_at,
      lease_until, next_sweep_at, request_id, key_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 2, 'running', false, now(), now(),
      now() + ${LEASE}, now() + ${LEASE}, $14, $15::uuid)
    ON CONFLICT (id) DO UPDATE SET status = 'running', attempt = runs.attempt + 1, worker = excluded.worker,
      lease_until = now() + ${LEASE}, started_at = coalesce(runs.started_at, now())
    WHERE runs.status IN ('accepted', 'queued', 'running')
    RETURNING id, attempt, worker, NULL::timestamptz AS started_at, attempt - free_attempts AS "countedAttempts",
      attempt - free_attempts > maximum_attempts AS "isOneTooMany", 'redelivered' AS "repeatReason",
      coalesce(${workerBefore}, '') AS "previousWorker"
    ), permitted AS (SELECT * FROM begun WHERE NOT "isOneTooMany"), kept AS (${beginAttemptsSql('permitted')})
    SELECT attempt, "countedAttempts", "isOneTooMany" FROM begun`,
};

const MARK_DEAD = {
  name: 'runs-mark-redelivered-dead',
  text: `WITH ended AS (
      UPDATE runs SET status = 'dead', attempt = attempt - 1, failure = '${EXHAUSTED}', finished_at = now(),
      lease_until = NULL, next_sweep_at = NULL
    WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING id, status, flow_id, user_id, callback
    ), reported AS (${insertCallbacksSql('ended')})
    ${insertDeadLettersSql('ended')}`,
};

interface Begun {
  readonly attempt: number;
  readonly countedAttempts: number;
  readonly isOneTooMany: boolean;
}

/** See RunStore.beginRedelivered. */
export async function beginRedelivered(
  { database, seal, bodies }: RunStoreParts,
  run: NewRun & { readonly worker: string },
): Promise<RedeliveredStart> {
  const start = await database.transaction<RedeliveredStart | { readonly ended: RunRow }>(
    async (connection) => {
      const begun = await connection.query<Begun>({
        ...BEGIN,
        values: [
          run.id,
          run.flowId,
          run.flowVersion,
          run.userId,
          run.lane,
          storableText(run.pool),
          run.origin,
          seal.write(run.request),
          storableText(run.sessionId),
          run.limitMilliseconds,
          run.maximumAttempts,
          storableTextOrNull(run.traceparent),
          run.worker,
          storableTextOrNull(run.requestId),
          run.keyId ? parseUuid(run.keyId) : null,
        ],
      });
      const [next] = begun.rows;
      if (next !== undefined && !next.isOneTooMany) {
        return { attempt: next.attempt, countedAttempts: next.countedAttempts };
      }
      if (next !== undefined) {
        await connection.query({ ...MARK_DEAD, values: [run.id, next.attempt] });
        return { exhausted: true, lastAttempt: next.attempt - 1 };
      }
      const { rows } = await connection.query<RunRow>({
        text: `SELECT ${RUN_COLUMNS} FROM runs WHERE id = $1`,
        values: [run.id],
      });
      const [finished] = rows;
      if (finished === undefined) throw new Error(`the run ${run.id} was deleted while it was being begun`);
      return { ended: finished };
    },
  );
  // After the transaction, which would wait for the object store.
  return 'ended' in start ? { finished: toRunRecord(await wholeRow(start.ended, bodies), seal) } : start;
}
