/**
 * @typedef {object} StoredRun
 * @property {string} id
 * @property {string} flowId
 * @property {string} status
 * @property {number} attempt
 * @property {number} freeAttempts
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
 * @typedef {object} StoredState
 * @property {Map<string, StoredRun>} runs by id
 * @property {{ runId: string, count: number }[]} overfullRuns those with more messages than a run can have
 */

/** Without the results of webhooks, which are not compared and of which there can be a hundred thousand. */
const RUNS = `SELECT id, flow_id AS "flowId", status, attempt, free_attempts AS "freeAttempts", sweeps, durable, origin,
    dedupe_key AS "dedupeKey", finished_at::text AS finished, failure, session_id AS "sessionId",
    CASE WHEN origin <> 'webhook' THEN result END AS result, md5(coalesce(result, failure, '')) AS content
  FROM runs`;
const DOUBLED = `SELECT run_id AS "runId", count(*)::int AS count FROM messages
  GROUP BY run_id HAVING count(*) > 2`;

/**
 * Resolves to the stored state: { runs, overfullRuns }: runs by id, and those with more messages than a run can have.
 * @param {import('pg').Pool} database
 * @returns {Promise<StoredState>}
 */
export async function readStoredRuns(database) {
  const { rows } = await database.query(RUNS);
  const doubled = await database.query(DOUBLED);
  return { runs: new Map(rows.map((row) => [row.id, row])), overfullRuns: doubled.rows };
}
