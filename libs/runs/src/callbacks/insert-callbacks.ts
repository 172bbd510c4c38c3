/** How long a callback is retried. Runs are kept for longer. */
export const CALLBACK_LIFETIME = `interval '72 hours'`;

// The settings of flows were checked when they were stored. What is read here still must not fail: that would keep a run
// from ending.
const CALLBACKS_OF_FLOW = `json_array_elements(
  CASE json_typeof(flows.settings -> 'callbacks') WHEN 'array' THEN flows.settings -> 'callbacks' END)`;

const ORIGIN = `substring(wanted.callback ->> 'url' from '^[A-Za-z]+://[^/?#]+')`;
const CONNECTION = `(wanted.callback -> 'amqp' ->> 'connection')`;

/**
 * Returns the SQL that adds a callback delivery for each callback of each ended run among the rows of the CTE `ended`,
 * which has the columns id, flow_id, user_id, status and callback of runs.
 */
export function insertCallbacksSql(ended: string): string {
  return `INSERT INTO callback_deliveries (id, run_id, flow_id, user_id, kind, url, amqp, target, secrets, has_result,
      due_at, expires_at)
    SELECT gen_random_uuid(), over.id, over.flow_id, over.user_id, over.kind,
      coalesce(wanted.callback ->> 'url', 'amqp:' || ${CONNECTION}),
      CASE WHEN wanted.callback ->> 'url' IS NULL THEN wanted.callback -> 'amqp' END,
      over.user_id || ' ' || coalesce(lower(${ORIGIN}), 'amqp:' || ${CONNECTION}),
      coalesce(wanted.callback ->> 'secrets', '[]'), coalesce(wanted.callback ->> 'result', '') <> 'omit',
      now(), now() + ${CALLBACK_LIFETIME}
    FROM (
      SELECT id, flow_id, user_id, callback,
        CASE status WHEN 'succeeded' THEN 'finished' WHEN 'timed_out' THEN 'failed' ELSE status END AS kind
      FROM ${ended} WHERE status IN ('succeeded', 'failed', 'timed_out', 'dead', 'cancelled')
    ) AS over
    JOIN flows ON flows.id = over.flow_id
    CROSS JOIN LATERAL (
      SELECT ${CALLBACKS_OF_FLOW} AS callback
      UNION ALL SELECT over.callback::json WHERE over.callback IS NOT NULL
    ) AS wanted
    WHERE coalesce(${ORIGIN}, ${CONNECTION}) IS NOT NULL
      AND (wanted.callback -> 'on' IS NULL OR over.kind IN (SELECT json_array_elements_text(wanted.callback -> 'on')))`;
}
