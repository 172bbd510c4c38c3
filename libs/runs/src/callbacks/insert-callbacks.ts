import { callbackEnds } from '@millrace/flow';
import { flowSetting } from '../flows/flow-setting';

/** How long a callback is retried. Runs are kept for longer. */
export const CALLBACK_LIFETIME = `interval '72 hours'`;

// Settings and callbacks were checked when they were stored. What is read here still must not fail: that would keep the
// runs of the batch from ending.
const CALLBACKS_OF_FLOW = `jsonb_array_elements(
  CASE jsonb_typeof(settings.callbacks) WHEN 'array' THEN settings.callbacks END)`;

/** The size of an index entry is limited. */
const MAXIMUM_TARGET_LENGTH = 500;

const ORIGIN = `substring(wanted.callback ->> 'url' from '^[A-Za-z]+://[^/?#]+')`;
const CONNECTION = `(wanted.callback -> 'amqp' ->> 'connection')`;

/** A report of a run is about no budget and no alert. */
const NO_SUBJECT = `NULL::uuid AS spend_id, NULL::json AS budget, NULL::uuid AS alert_id, NULL::json AS alert,`;

/** A callback without `on` reports ends only. */
const REPORTED = `coalesce(wanted.callback -> 'on', '${JSON.stringify(callbackEnds)}')`;

/**
 * Returns the SQL that adds a callback delivery for each callback of each ended run among the rows of the CTE `ended`,
 * which has the columns id, flow_id, user_id, status and callback of runs.
 */
export function insertCallbacksSql(ended: string): string {
  return insertSql(`SELECT id, flow_id, user_id, callback, NULL AS human_request, ${NO_SUBJECT}
        CASE status WHEN 'succeeded' THEN 'finished' WHEN 'timed_out' THEN 'failed' ELSE status END AS kind
      FROM ${ended} WHERE status IN ('succeeded', 'failed', 'timed_out', 'dead', 'cancelled')`);
}

/**
 * As `insertCallbacksSql`, for each request for human input among the rows of the CTE `asked`, which has the columns id, flow_id,
 * user_id and callback of runs and the column request_id.
 */
export function insertWaitingCallbacksSql(asked: string): string {
  return insertSql(
    `SELECT id, flow_id, user_id, callback, request_id AS human_request, ${NO_SUBJECT}
      'waiting' AS kind FROM ${asked}`,
  );
}

/**
 * Returns the SQL that adds a callback delivery for each callback of the flow for each passed share of a budget among the rows of
 * the CTE `passed`, which has the columns spend_id, flow_id, user_id and budget.
 */
export function insertBudgetCallbacksSql(passed: string): string {
  return insertSql(`SELECT NULL::uuid AS id, flow_id, user_id, NULL AS callback, NULL AS human_request, spend_id, budget, NULL::uuid AS alert_id, NULL::json AS alert,
      'budget' AS kind FROM ${passed}`);
}

/**
 * As `insertBudgetCallbacksSql`, for each alert that began or ended among the rows of the CTE `changed`, which has the columns
 * alert_id, flow_id, user_id and alert.
 */
export function insertAlertCallbacksSql(changed: string): string {
  return insertSql(`SELECT NULL::uuid AS id, flow_id, user_id, NULL AS callback, NULL AS human_request, NULL::uuid AS spend_id,
      NULL::json AS budget, alert_id, alert, 'alert' AS kind FROM ${changed}`);
}

function insertSql(reported: string): string {
  return `INSERT INTO callback_deliveries (id, run_id, flow_id, user_id, kind, url, amqp, target, secrets, has_result,
      due_at, expires_at, human_request, budget_spend_id, budget, alert_id, alert)
    SELECT gen_random_uuid(), over.id, over.flow_id, over.user_id, over.kind,
      coalesce(wanted.callback ->> 'url', 'amqp:' || ${CONNECTION}),
      CASE WHEN wanted.callback ->> 'url' IS NULL THEN (wanted.callback -> 'amqp')::json END,
      left(over.user_id || ' ' || coalesce(lower(${ORIGIN}), 'amqp:' || ${CONNECTION}), ${MAXIMUM_TARGET_LENGTH}),
      coalesce((wanted.callback -> 'secrets')::text, '[]'), coalesce(wanted.callback ->> 'result', '') <> 'omit',
      now(), now() + ${CALLBACK_LIFETIME}, over.human_request, over.spend_id, over.budget, over.alert_id, over.alert
    FROM (${reported}) AS over
    JOIN flows ON flows.id = over.flow_id
    CROSS JOIN LATERAL (
      SELECT ${CALLBACKS_OF_FLOW} AS callback FROM (SELECT ${flowSetting('callbacks')} AS callbacks) AS settings
      UNION ALL SELECT readable_json(over.callback) WHERE over.callback IS NOT NULL
    ) AS wanted
    WHERE coalesce(${ORIGIN}, ${CONNECTION}) IS NOT NULL AND ${REPORTED} @> to_jsonb(over.kind)`;
}
