import { textArray, timestampArray, uuidArray } from '@millrace/database';
import type { Database, Queryable } from '@millrace/database';
import { insertAlertCallbacksSql } from '../callbacks/insert-callbacks';
import { flowSetting } from '../flows/flow-setting';
import { changesOf, windowKey } from './alert-changes';
import type { AlertChange, BegunAlert, Measurements, OpenAlert, RuledFlow } from './alert-changes';
import { alertRulesOf } from './alert-rules';
import type { AlertNumbers } from './alert-rules';

/** Flows that are read. The first flow of each user comes before the second of any, so that no user takes the place of all others. */
const MAXIMUM_FLOWS = 10_000;
/** Windows of rules that are measured, each in about 0.25 ms; those of further flows are not. */
const MAXIMUM_WINDOWS = 10_000;
const DEFAULT_POOL = 'default';
/** Longer than the longest window. */
const KEPT_SAMPLES = `interval '25 hours'`;
/** How long an alert that is over is kept, with its callbacks. */
const KEPT_ALERTS = `interval '30 days'`;
const MAXIMUM_DELETED = 5_000;

const HAS_RULES = `position('"alerts"' IN flows.settings::text) > 0`;
const FLOWS = {
  name: 'alerts-flows',
  text: `SELECT flows.id AS "flowId", flows.user_id AS "userId", ${flowSetting('alerts')} AS rules,
      ${flowSetting('pool')} AS pool
    FROM flows WHERE ${HAS_RULES}
    ORDER BY row_number() OVER (PARTITION BY flows.user_id ORDER BY flows.id), flows.id LIMIT ${MAXIMUM_FLOWS} + 1`,
};

const ANY_OPEN = {
  name: 'alerts-any-open',
  text: 'SELECT 1 FROM flow_alerts WHERE ended_at IS NULL LIMIT 1',
};

// The row is locked until the end of the transaction: one process at a time, and no one waits for it.
const TAKE_TURN = {
  name: 'alerts-turn',
  text: `UPDATE alert_turn SET at = now() WHERE at <= now() - $1 * interval '1 millisecond'
      AND one = ANY(ARRAY(SELECT one FROM alert_turn FOR UPDATE SKIP LOCKED))
    RETURNING now(), set_config('jit', 'off', true), set_config('lock_timeout', '200ms', true),
      set_config('statement_timeout', '10s', true)`,
};

const SUMS = `coalesce(sum(runs) FILTER (WHERE model = ''), 0) AS runs,
  coalesce(sum(failures) FILTER (WHERE model = ''), 0) AS failures, coalesce(sum(cost), 0) AS cost,
  coalesce(sum(waiting_milliseconds) FILTER (WHERE model = ''), 0) AS waiting_milliseconds,
  coalesce(sum(running_milliseconds) FILTER (WHERE model = ''), 0) AS running_milliseconds`;
const SAMPLED = ['runs', 'failures', 'cost', 'waiting_milliseconds', 'running_milliseconds'] as const;
const since = (column: (typeof SAMPLED)[number]) =>
  `greatest(0, used.${column} - coalesce(since.${column}, 0))::float8`;
const THIS_HOUR = `date_trunc('hour', now(), 'UTC')`;

// The counts of all hours since the one in which the window begins, without what that hour had at the begin. OFFSET 0 keeps the
// planner from reading all hours of a user, or all runs of a flow in the order of time: it does not know how few are wanted.
const MEASURE = {
  name: 'alerts-measure',
  text: `SELECT asked.flow_id AS "flowId", asked.minutes, since.at AS since, ${since('runs')} AS runs,
      ${since('failures')} AS failures, ${since('cost')} AS cost,
      ${since('waiting_milliseconds')} AS "waitingMilliseconds",
      ${since('running_milliseconds')} AS "runningMilliseconds",
      extract(epoch FROM now() - oldest.accepted_at)::float8 AS "oldestSeconds"
    FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::boolean[], $5::text[])
      AS asked (flow_id, user_id, minutes, waits, pool)
    LEFT JOIN LATERAL (
      SELECT * FROM alert_samples WHERE alert_samples.flow_id = asked.flow_id
        AND alert_samples.at >= now() - asked.minutes * interval '1 minute' ORDER BY alert_samples.at LIMIT 1
    ) AS since ON true
    CROSS JOIN LATERAL (
      SELECT ${SUMS} FROM generate_series(date_trunc('hour', coalesce(since.at, now()), 'UTC'), now(), interval '1 hour') AS hours (hour)
      CROSS JOIN LATERAL (
        SELECT * FROM usage_hours WHERE usage_hours.user_id = asked.user_id AND usage_hours.hour = hours.hour
          AND usage_hours.flow_id = asked.flow_id OFFSET 0
      ) AS counted
    ) AS used
    CROSS JOIN LATERAL (
      SELECT min(found.accepted_at) AS accepted_at
      FROM unnest(ARRAY[asked.pool, '${DEFAULT_POOL}', $6::text]) AS pools (pool) CROSS JOIN LATERAL (
        SELECT (SELECT accepted_at FROM runs WHERE asked.waits AND runs.user_id = asked.user_id
            AND runs.pool = pools.pool AND runs.flow_id = asked.flow_id AND runs.next_sweep_at = 'infinity'
            ORDER BY accepted_at LIMIT 1) AS accepted_at
        UNION ALL
        SELECT min(published.accepted_at) FROM (
          SELECT accepted_at FROM runs WHERE asked.waits AND runs.user_id = asked.user_id
            AND runs.pool = pools.pool AND runs.flow_id = asked.flow_id AND runs.lane = 'background'
            AND runs.next_sweep_at < 'infinity' AND runs.attempt = 0 OFFSET 0
        ) AS published
      ) AS found
    ) AS oldest`,
};

const SAMPLE = {
  name: 'alerts-sample',
  text: `INSERT INTO alert_samples (flow_id, at, ${SAMPLED.join(', ')})
    SELECT asked.flow_id, now(), used.* FROM unnest($1::uuid[], $2::uuid[]) AS asked (flow_id, user_id)
    CROSS JOIN LATERAL (
      SELECT ${SUMS} FROM usage_hours WHERE usage_hours.user_id = asked.user_id AND usage_hours.hour = ${THIS_HOUR}
        AND usage_hours.flow_id = asked.flow_id
    ) AS used ON CONFLICT DO NOTHING`,
};

// Of each flow those before its longest window, and all that are too old for any.
const FORGET_SAMPLES = {
  name: 'alerts-forget-samples',
  text: `WITH behind AS (
      DELETE FROM alert_samples USING unnest($1::uuid[], $2::int[]) AS kept (flow_id, minutes)
      WHERE alert_samples.flow_id = kept.flow_id AND alert_samples.at < now() - kept.minutes * interval '1 minute'
    )
    DELETE FROM alert_samples WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM alert_samples WHERE at < now() - ${KEPT_SAMPLES} ORDER BY at LIMIT ${MAXIMUM_DELETED}))`,
};

const FORGET_ALERTS = {
  name: 'alerts-forget',
  text: `DELETE FROM flow_alerts WHERE id = ANY(ARRAY(
      SELECT id FROM flow_alerts WHERE ended_at < now() - ${KEPT_ALERTS} ORDER BY ended_at LIMIT ${MAXIMUM_DELETED}))`,
};

const OPEN = {
  name: 'alerts-open',
  text: `SELECT id, flow_id AS "flowId", user_id AS "userId", rule, condition::text AS condition, began_at AS "beganAt"
    FROM flow_alerts WHERE ended_at IS NULL`,
};

const BEGIN = {
  name: 'alerts-begin',
  text: `WITH changed AS (
      INSERT INTO flow_alerts (id, flow_id, user_id, rule, condition, began_at, value)
      SELECT given.id, flows.id, flows.user_id, given.rule, given.condition::json, given.began_at, given.value
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $7::float8[])
        AS given (id, flow_id, rule, condition, began_at, value)
      JOIN flows ON flows.id = given.flow_id
      ON CONFLICT (flow_id, rule) WHERE ended_at IS NULL DO NOTHING RETURNING id AS alert_id, flow_id, user_id
    ), described AS (
      SELECT changed.*, given.alert::json AS alert FROM changed
      JOIN unnest($1::uuid[], $6::text[]) AS given (id, alert) ON given.id = changed.alert_id
    ), reported AS (${insertAlertCallbacksSql('described')})
    SELECT alert_id AS id FROM changed`,
};

const END = {
  name: 'alerts-end',
  text: `WITH changed AS (
      UPDATE flow_alerts SET ended_at = given.ended_at
      FROM unnest($1::uuid[], $2::timestamptz[], $3::text[]) AS given (id, ended_at, alert)
      WHERE flow_alerts.id = given.id AND flow_alerts.ended_at IS NULL
      RETURNING flow_alerts.id AS alert_id, flow_alerts.flow_id, flow_alerts.user_id, given.alert::json AS alert
    ), reported AS (${insertAlertCallbacksSql('changed')})
    SELECT alert_id AS id FROM changed`,
};

export interface AlertEvaluation {
  /** No evaluation within this time after the last one of any process. */
  readonly intervalMilliseconds: number;
  /** The pool of flows in Python that name none; null when there is none. */
  readonly pythonPool: string | null;
}

export interface EvaluatedAlerts {
  readonly changes: readonly AlertChange[];
  /** True when there are more rules than one evaluation can measure; some flows are not evaluated. */
  readonly isPartial: boolean;
}

/**
 * Evaluates the rules of all flows from what is counted of their runs: some statements for all flows together, in one process
 * at a time. No other statement waits for it.
 */
export class AlertStore {
  readonly #database: Database;
  readonly #maximumWindows: number;

  constructor({
    database,
    maximumWindows = MAXIMUM_WINDOWS,
  }: {
    readonly database: Database;
    readonly maximumWindows?: number;
  }) {
    this.#database = database;
    this.#maximumWindows = maximumWindows;
  }

  /**
   * Begins and ends alerts, and adds the callbacks of their flows. Resolves to what changed; to null when the rules were evaluated
   * in the interval, or another process evaluates them.
   */
  async evaluate({ intervalMilliseconds, pythonPool }: AlertEvaluation): Promise<EvaluatedAlerts | null> {
    const { flows, isPartial } = await this.#flows();
    if (flows.length === 0 && !(await this.#hasOpen())) return { changes: [], isPartial };
    return this.#database.transaction(async (connection) => {
      const { rows: turns } = await connection.query<{ now: Date }>({
        ...TAKE_TURN,
        values: [intervalMilliseconds],
      });
      const [turn] = turns;
      if (turn === undefined) return null;
      const measurements = await measure(connection, flows, pythonPool);
      const { rows: all } = await connection.query<OpenAlert>(OPEN);
      const ids = flows.map(({ flowId }) => flowId);
      const evaluated = new Set(ids);
      // Alerts of flows that are not evaluated stay as they are.
      const open = isPartial ? all.filter(({ flowId }) => evaluated.has(flowId)) : all;
      const { begun, ended } = changesOf(flows, open, measurements, turn.now);
      const changes = [...(await begin(connection, begun)), ...(await end(connection, ended))];
      const longest = flows.map(({ rules }) =>
        Math.max(0, ...rules.map(({ windowMinutes }) => windowMinutes)),
      );
      await connection.query({ ...SAMPLE, values: [uuidArray(ids), flows.map(({ userId }) => userId)] });
      await connection.query({ ...FORGET_SAMPLES, values: [uuidArray(ids), longest] });
      await connection.query(FORGET_ALERTS);
      return { changes, isPartial };
    });
  }

  async #flows(): Promise<{ readonly flows: readonly RuledFlow[]; readonly isPartial: boolean }> {
    const { rows } = await this.#database.query<{
      flowId: string;
      userId: string;
      rules: unknown;
      pool: unknown;
    }>(FLOWS);
    const flows: RuledFlow[] = [];
    let windows = 0;
    for (const { rules: setting, pool, ...flow } of rows.slice(0, MAXIMUM_FLOWS)) {
      const rules = alertRulesOf(setting);
      windows += rules.length;
      if (windows > this.#maximumWindows) return { flows, isPartial: true };
      if (rules.length > 0)
        flows.push({ ...flow, rules, pool: typeof pool === 'string' ? pool : DEFAULT_POOL });
    }
    return { flows, isPartial: rows.length > MAXIMUM_FLOWS };
  }

  async #hasOpen(): Promise<boolean> {
    return (await this.#database.query(ANY_OPEN)).rows.length > 0;
  }
}

/** Resolves to the numbers of each window of each flow. */
async function measure(
  connection: Queryable,
  flows: readonly RuledFlow[],
  pythonPool: string | null,
): Promise<Measurements> {
  const windows = flows.flatMap((flow) => {
    const minutes = new Set(flow.rules.map(({ windowMinutes }) => windowMinutes));
    return [...minutes].map((of) => ({
      ...flow,
      minutes: of,
      waits: flow.rules.some((rule) => rule.windowMinutes === of && rule.measure === 'waiting'),
    }));
  });
  if (windows.length === 0) return new Map();
  const { rows } = await connection.query<AlertNumbers & { flowId: string; minutes: number }>({
    ...MEASURE,
    values: [
      uuidArray(windows.map(({ flowId }) => flowId)),
      uuidArray(windows.map(({ userId }) => userId)),
      windows.map(({ minutes }) => minutes),
      windows.map(({ waits }) => waits),
      textArray(windows.map(({ pool }) => pool)),
      pythonPool ?? DEFAULT_POOL,
    ],
  });
  return new Map(rows.map(({ flowId, minutes, ...numbers }) => [windowKey(flowId, minutes), numbers]));
}

/** Resolves to those that were stored: the flow of another one is deleted. */
async function begin(connection: Queryable, alerts: readonly BegunAlert[]): Promise<readonly AlertChange[]> {
  if (alerts.length === 0) return [];
  const reports = alerts.map(({ report }) => report);
  const { rows } = await connection.query<{ id: string }>({
    ...BEGIN,
    values: [
      uuidArray(reports.map(({ alert_id }) => alert_id)),
      uuidArray(reports.map(({ flow_id }) => flow_id)),
      textArray(reports.map(({ rule }) => rule)),
      textArray(alerts.map(({ condition }) => condition)),
      timestampArray(reports.map(({ began_at }) => new Date(began_at))),
      textArray(reports.map((report) => JSON.stringify(report))),
      reports.map(({ value }) => value),
    ],
  });
  return storedOf(alerts, rows);
}

async function end(connection: Queryable, alerts: readonly AlertChange[]): Promise<readonly AlertChange[]> {
  if (alerts.length === 0) return [];
  const reports = alerts.map(({ report }) => report);
  const { rows } = await connection.query<{ id: string }>({
    ...END,
    values: [
      uuidArray(reports.map(({ alert_id }) => alert_id)),
      timestampArray(reports.map(({ ended_at }) => new Date(ended_at ?? 0))),
      textArray(reports.map((report) => JSON.stringify(report))),
    ],
  });
  return storedOf(alerts, rows);
}

function storedOf(
  alerts: readonly AlertChange[],
  rows: readonly { readonly id: string }[],
): readonly AlertChange[] {
  const stored = new Set(rows.map(({ id }) => id));
  return alerts
    .filter(({ report }) => stored.has(report.alert_id))
    .map(({ userId, report }) => ({ userId, report }));
}
