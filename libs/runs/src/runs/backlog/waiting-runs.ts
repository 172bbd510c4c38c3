import type { Database } from '@millrace/database';
import type { RunStatus } from '../../run-record/run-record';
import { FLOW_CONCURRENCY } from './release-backlog';
import { IN_BACKLOG, PUBLISHED, RELEASED, WAITS_FOR_ATTEMPT } from '../lifecycle';
import { IS_LIMITED } from './trigger-limit';

/** Places beyond this one are not counted. */
export const MAXIMUM_PLACE = 1_000;

/** What a run waits for, as far as the database knows it. */
export interface WaitingFacts {
  readonly id: string;
  readonly status: RunStatus;
  readonly pool: string;
  /** Not published, since the flow is paused, or a limit was reached. */
  readonly isInBacklog: boolean;
  /** Its place among the runs of its flow in the backlog, from 1; null beyond MAXIMUM_PLACE, and outside of the backlog. */
  readonly place: number | null;
  /** Why no run of the flow starts; null when it is not paused. */
  readonly pauseReason: string | null;
  /** The concurrency of its flow, when that many of its runs are released. */
  readonly flowLimit: number | null;
  /** The limit of its trigger, when that many of its runs are released. */
  readonly triggerLimit: number | null;
  /** The published runs of one user in one pool, when it has that many. */
  readonly userShare: number | null;
  /** When its message is published again, or the pause before its next attempt ends; null in the backlog and after its end. */
  readonly nextSweepAt: Date | null;
  /** The pause before the next attempt; null when the run does not wait for one. */
  readonly pause: {
    readonly cause: 'failed' | 'executor_lost';
    /** The number of the next attempt, and how many there can be: by the retry rule, or after losses of executors. */
    readonly attempt: number;
    readonly attempts: number;
  } | null;
  /** The question whose time is over first; null when it asks nothing. */
  readonly question: { readonly dueAt: Date | null } | null;
  /** The report of its end that is not delivered and due first. */
  readonly callback: { readonly dueAt: Date; readonly attempts: number } | null;
}

interface FactsRow extends Omit<WaitingFacts, 'pause' | 'question' | 'callback'> {
  readonly waitsForAttempt: boolean;
  readonly wasLost: boolean;
  readonly retries: number;
  readonly ruleAttempts: number | null;
  readonly lostAttempts: number;
  readonly lossAttempts: number;
  readonly isAsked: boolean;
  readonly questionDueAt: Date | null;
  readonly callbackDueAt: Date | null;
  readonly callbackAttempts: number | null;
}

// The limits are those of the release of the backlog. Each is counted once for all runs that are asked about. The order of the
// published runs selects nothing: without it the planner scans the table when its statistics are old. The trigger of a released run
// is a subquery, because a join can read all events of the trigger.
const READ = {
  name: 'runs-waiting-facts',
  text: `WITH asked AS MATERIALIZED (
      SELECT runs.*, ${IN_BACKLOG} AS is_in_backlog, ${WAITS_FOR_ATTEMPT} AS waits_for_attempt
      FROM runs WHERE id = ANY($1::uuid[]) AND ($2::uuid IS NULL OR user_id = $2)
    ), waiting_flows AS MATERIALIZED (
      SELECT named.*, flows.pause_reason, ${FLOW_CONCURRENCY} AS concurrency
      FROM (SELECT DISTINCT user_id, pool, flow_id FROM asked WHERE is_in_backlog) AS named
      JOIN flows ON flows.id = named.flow_id
    ), places AS MATERIALIZED (
      SELECT line.* FROM waiting_flows CROSS JOIN LATERAL (
        SELECT id, row_number() OVER (ORDER BY accepted_at, id)::int AS place FROM (
          SELECT id, accepted_at FROM runs WHERE ${IN_BACKLOG} AND runs.user_id = waiting_flows.user_id
            AND runs.pool = waiting_flows.pool AND runs.flow_id = waiting_flows.flow_id
          ORDER BY accepted_at LIMIT ${MAXIMUM_PLACE}
        ) AS oldest
      ) AS line
    ), full_flows AS MATERIALIZED (
      SELECT * FROM waiting_flows WHERE concurrency <= (SELECT count(*) FROM (
        SELECT FROM runs WHERE runs.user_id = waiting_flows.user_id AND runs.pool = waiting_flows.pool
          AND runs.flow_id = waiting_flows.flow_id AND ${RELEASED} LIMIT waiting_flows.concurrency) AS released)
    ), full_shares AS MATERIALIZED (
      SELECT * FROM (SELECT DISTINCT user_id, pool FROM waiting_flows) AS named WHERE $3 > 0 AND $3 <= (SELECT count(*) FROM (
        SELECT FROM runs WHERE runs.user_id = named.user_id AND runs.pool = named.pool AND ${PUBLISHED}
        ORDER BY runs.flow_id LIMIT $3) AS published)
    ), full_triggers AS MATERIALIZED (
      SELECT triggers.id, triggers.concurrency_limit FROM triggers
      WHERE triggers.flow_id IN (SELECT flow_id FROM waiting_flows) AND ${IS_LIMITED} AND triggers.concurrency_limit <= (
        SELECT count(*) FROM runs WHERE runs.user_id = triggers.user_id AND runs.flow_id = triggers.flow_id AND ${RELEASED}
          AND (SELECT trigger_id FROM trigger_events WHERE trigger_events.run_id = runs.id) = triggers.id)
    )
    SELECT asked.id, asked.status, asked.pool, coalesce(is_in_backlog, false) AS "isInBacklog", places.place,
      waiting_flows.pause_reason AS "pauseReason", full_flows.concurrency AS "flowLimit",
      full_triggers.concurrency_limit AS "triggerLimit", CASE WHEN full_shares.user_id IS NOT NULL THEN $3 END AS "userShare",
      CASE WHEN NOT is_in_backlog THEN asked.next_sweep_at END AS "nextSweepAt",
      coalesce(waits_for_attempt, false) AS "waitsForAttempt", last.outcome IS DISTINCT FROM 'failed' AS "wasLost", asked.retries,
      CASE WHEN asked.retry IS NOT NULL THEN (asked.retry::json ->> 'attempts')::int END AS "ruleAttempts",
      asked.attempt - asked.free_attempts - asked.retries AS "lostAttempts", asked.maximum_attempts - asked.retries AS "lossAttempts",
      question.run_id IS NOT NULL AS "isAsked", question.due_at AS "questionDueAt",
      callback.due_at AS "callbackDueAt", callback.attempts AS "callbackAttempts"
    FROM asked
    LEFT JOIN places ON places.id = asked.id
    LEFT JOIN waiting_flows ON is_in_backlog AND waiting_flows.flow_id = asked.flow_id AND waiting_flows.pool = asked.pool
    LEFT JOIN full_flows ON is_in_backlog AND full_flows.flow_id = asked.flow_id AND full_flows.pool = asked.pool
    LEFT JOIN full_shares ON is_in_backlog AND full_shares.user_id = asked.user_id AND full_shares.pool = asked.pool
    LEFT JOIN trigger_events ON is_in_backlog AND trigger_events.run_id = asked.id
    LEFT JOIN full_triggers ON full_triggers.id = trigger_events.trigger_id
    LEFT JOIN run_attempts AS last ON waits_for_attempt AND last.run_id = asked.id AND last.attempt = asked.attempt
    LEFT JOIN LATERAL (
      SELECT run_id, due_at FROM human_requests
      WHERE asked.status = 'suspended' AND human_requests.run_id = asked.id AND decided_at IS NULL ORDER BY due_at LIMIT 1
    ) AS question ON true
    LEFT JOIN LATERAL (
      SELECT due_at, attempts FROM callback_deliveries
      WHERE asked.finished_at IS NOT NULL AND callback_deliveries.run_id = asked.id AND due_at IS NOT NULL ORDER BY due_at LIMIT 1
    ) AS callback ON true`,
};

/** What is asked about. */
export interface WaitingQuestion {
  readonly ids: readonly string[];
  /** Whose runs are read; null: of all users. */
  readonly userId: string | null;
  /** Maximum number of a user's runs in one pool that are published but not begun; 0 for no limit. */
  readonly publishedPerUser: number;
}

/** Reads what runs wait for, in one statement. Unknown runs, and those of other users, are left out. */
export async function readWaitingFacts(
  database: Pick<Database, 'query'>,
  { ids, userId, publishedPerUser }: WaitingQuestion,
): Promise<readonly WaitingFacts[]> {
  if (ids.length === 0) return [];
  const { rows } = await database.query<FactsRow>({ ...READ, values: [ids, userId, publishedPerUser] });
  return rows.map(factsOf);
}

function factsOf({
  waitsForAttempt,
  wasLost,
  retries,
  ruleAttempts,
  lostAttempts,
  lossAttempts,
  isAsked,
  questionDueAt,
  callbackDueAt,
  callbackAttempts,
  ...facts
}: FactsRow): WaitingFacts {
  const pause = wasLost
    ? { cause: 'executor_lost' as const, attempt: lostAttempts + 1, attempts: lossAttempts }
    : { cause: 'failed' as const, attempt: retries + 1, attempts: ruleAttempts ?? retries + 1 };
  return {
    ...facts,
    pause: waitsForAttempt ? pause : null,
    question: isAsked ? { dueAt: questionDueAt } : null,
    callback: callbackDueAt && { dueAt: callbackDueAt, attempts: callbackAttempts ?? 0 },
  };
}
