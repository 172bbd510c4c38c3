import type { AlertRule } from '@millrace/flow';
import type { Queryable } from '@millrace/database';

/** An alert that has not ended. */
export interface ListedAlert extends Pick<AlertRule, 'measure' | 'threshold' | 'windowMinutes'> {
  readonly id: string;
  readonly flowId: string;
  readonly flowName: string;
  readonly rule: string;
  /** What the rule measured when the alert began: a share, seconds or US dollars; null when that is not kept. */
  readonly value: number | null;
  readonly beganAt: Date;
}

export interface AlertListQuery {
  readonly userId: string;
  readonly flowId?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Resolves to the alerts of a user's flows that have not ended, the newest first. */
export async function listAlerts(
  connection: Queryable,
  { userId, flowId, limit, offset }: AlertListQuery,
): Promise<ListedAlert[]> {
  const { rows } = await connection.query<ListedAlert>({
    name: 'alerts-list',
    text: `SELECT open.id, open.flow_id AS "flowId", flows.name AS "flowName", open.rule,
        open.condition ->> 'measure' AS measure, (open.condition ->> 'threshold')::float8 AS threshold,
        (open.condition ->> 'windowMinutes')::int AS "windowMinutes", open.value, open.began_at AS "beganAt"
      FROM flow_alerts AS open JOIN flows ON flows.id = open.flow_id
      WHERE open.user_id = $1 AND open.ended_at IS NULL AND ($2::uuid IS NULL OR open.flow_id = $2)
      ORDER BY open.began_at DESC, open.id LIMIT $3 OFFSET $4`,
    values: [userId, flowId ?? null, limit, offset],
  });
  return rows;
}
