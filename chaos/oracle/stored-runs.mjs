/**
 * @typedef {object} StoredRun
 * @property {string} id
 * @property {string} flowId
 * @property {string} status
 * @property {number} attempt
 * @property {number} freeAttempts
 * @property {number} maximumAttempts
 * @property {number} sweeps
 * @property {boolean} durable
 * @property {string} origin
 * @property {string | null} dedupeKey
 * @property {string | null} finished
 * @property {string | null} failure
 * @property {string} sessionId
 * @property {string | null} result
 * @property {string} content
 *
 * @typedef {object} StoredAttempt
 * @property {number} attempt
 * @property {string | null} worker
 * @property {string} outcome
 *
 * @typedef {object} StoredState
 * @property {Map<string, StoredRun>} runs by id
 * @property {ReadonlyMap<string, readonly StoredAttempt[]>} attempts those of dead runs, by the id of the run
 * @property {Map<string, number>} suspensions the attempt at whose end a run first waited for a person, by the id of the run
 * @property {{ runId: string, count: number }[]} overfullRuns those with more messages than a run can have
 */

/** Without the results of webhooks, which are not compared and of which there can be a hundred thousand. */
const RUNS = `SELECT id, flow_id AS "flowId", status, attempt, free_attempts AS "freeAttempts",
    maximum_attempts AS "maximumAttempts", sweeps, durable, origin,
    dedupe_key AS "dedupeKey", finished_at::text AS finished, failure, session_id AS "sessionId",
    CASE WHEN origin <> 'webhook' THEN whole_text(result, id, flow_id, session_id) END AS result,
    md5(coalesce(result, failure, '')) AS content
  FROM runs`;
/** The last attempt of a dead run is in its row. */
const ATTEMPTS = `SELECT run_id AS "runId", attempt, worker, outcome FROM run_attempts
  WHERE outcome IS NOT NULL AND run_id IN (SELECT id FROM runs WHERE status = 'dead')
  UNION ALL SELECT id, attempt, worker, 'executor_lost' FROM runs WHERE status = 'dead' AND attempt > 0
  ORDER BY 1, 2`;
const SUSPENSIONS = `SELECT run_id AS "runId", min(attempt) AS attempt FROM run_attempts
  WHERE outcome = 'suspended' GROUP BY run_id`;
// The message of a question has an id of version 8, and is beside those of the input and the answer.
const DOUBLED = `SELECT run_id AS "runId", count(*)::int AS count FROM messages
  WHERE substring(id::text, 15, 1) <> '8' GROUP BY run_id HAVING count(*) > 2`;

/**
 * Resolves to the stored state.
 * @param {import('pg').Pool} database
 * @returns {Promise<StoredState>}
 */
export async function readStoredRuns(database) {
  const { rows } = await database.query(RUNS);
  const doubled = await database.query(DOUBLED);
  const suspended = await database.query(SUSPENSIONS);
  /** @type {Map<string, StoredAttempt[]>} */
  const attempts = new Map();
  for (const { runId, ...attempt } of (await database.query(ATTEMPTS)).rows)
    attempts.set(runId, [...(attempts.get(runId) ?? []), attempt]);
  const suspensions = new Map(suspended.rows.map(({ runId, attempt }) => [runId, attempt]));
  return {
    runs: new Map(rows.map((row) => [row.id, row])),
    attempts,
    suspensions,
    overfullRuns: doubled.rows,
  };
}
