import { setTimeout as pause } from 'node:timers/promises';

/** @import { Pool } from 'pg' */

/**
 * @typedef {object} StoredEvents
 * @property {{ readonly token: string, readonly runId: string }[]} deliveries
 * @property {{ readonly triggerId: string, readonly runId: string, at: number, readonly firedAt: number, readonly missed: number }[]} occurrences
 *   by time; times in milliseconds since the epoch
 * @property {{ readonly id: string, readonly runId: string, readonly isDelivered: boolean }[]} reports
 */

const DELIVERIES = `SELECT payload::json -> 'delivery' ->> 'token' AS token, run_id AS "runId"
  FROM trigger_events WHERE dedupe_key LIKE 'ingress:%'`;
const OCCURRENCES = `SELECT trigger_id AS "triggerId", run_id AS "runId",
    (extract(epoch FROM (payload::json ->> 'scheduled_for')::timestamptz) * 1000)::float8 AS at,
    (extract(epoch FROM created_at) * 1000)::float8 AS "firedAt",
    coalesce((payload::json ->> 'missed')::int, 0) AS missed
  FROM trigger_events WHERE dedupe_key LIKE 'schedule:%' ORDER BY at`;
const REPORTS = `SELECT id, run_id AS "runId", delivered_at IS NOT NULL AS "isDelivered" FROM callback_deliveries`;
const PENDING = `SELECT count(*)::int AS count FROM callback_deliveries WHERE due_at IS NOT NULL`;
/** Reports that are under way, or were until their process ended, are not made due sooner. */
const HURRY = `UPDATE callback_deliveries SET due_at = now()
  WHERE due_at > now() + interval '1 second' AND created_at < now() - interval '30 seconds'`;

/**
 * Resolves to the events of triggers and the reports of runs.
 * @param {Pool} database
 * @returns {Promise<StoredEvents>}
 */
export async function readStoredEvents(database) {
  const [deliveries, occurrences, reports] = await Promise.all(
    [DELIVERIES, OCCURRENCES, REPORTS].map((text) => database.query(text)),
  );
  return { deliveries: deliveries.rows, occurrences: occurrences.rows, reports: reports.rows };
}

/**
 * Waits until no report is pending, or for the timeout; shortens the pauses between attempts, which grow to hours.
 * @param {Pool} database
 * @param {{ readonly timeoutMilliseconds: number }} options
 */
export async function settleReports(database, { timeoutMilliseconds }) {
  const end = Date.now() + timeoutMilliseconds;
  while ((await database.query(PENDING)).rows[0].count > 0 && Date.now() < end) {
    await database.query(HURRY);
    await pause(5_000);
  }
}
