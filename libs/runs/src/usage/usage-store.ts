import type { Queryable } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import type { UsageCount, UsageNumbers } from './usage-count';

/** How long counts are kept: a year and the month that it is compared with. */
const KEPT_DAYS = 400;
export const NO_KEY = '00000000-0000-0000-0000-000000000000';

const NUMBERS = [
  ['runs', 'runs'],
  ['failures', 'failures'],
  ['calls', 'calls'],
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['unpriced_calls', 'unpricedCalls'],
  ['cost', 'cost'],
  ['waiting_milliseconds', 'waitingMilliseconds'],
  ['running_milliseconds', 'runningMilliseconds'],
] as const;

const columns = NUMBERS.map(([column]) => column);
// In the order of the key, so that two processes lock the rows in the same order.
const ADD = {
  name: 'usage-add',
  text: `INSERT INTO usage_hours AS stored (hour, user_id, flow_id, key_id, pool, provider, model, ${columns.join(', ')})
    SELECT date_trunc('hour', now(), 'UTC'), given.* FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[],
      ${columns.map((column, index) => `$${index + 7}::${column === 'cost' ? 'float8' : 'bigint'}[]`).join(', ')})
      AS given (user_id, flow_id, key_id, pool, provider, model, ${columns.join(', ')})
    JOIN users ON users.id = given.user_id
    ORDER BY given.user_id, given.flow_id, given.key_id, given.pool, given.provider, given.model
    ON CONFLICT (user_id, hour, flow_id, key_id, pool, provider, model) DO UPDATE
      SET ${columns.map((column) => `${column} = stored.${column} + excluded.${column}`).join(', ')}`,
};

/** Adds counts with different keys to those of this hour. Counts of users who do not exist are left out. */
export async function addUsage(connection: Queryable, counts: readonly UsageCount[]): Promise<void> {
  const values = [
    counts.map(({ userId }) => userId),
    counts.map(({ flowId }) => flowId),
    counts.map(({ keyId }) => keyId ?? NO_KEY),
    ...(['pool', 'provider', 'model'] as const).map((name) =>
      counts.map((count) => storableText(count[name])),
    ),
    ...NUMBERS.map(([, name]) => counts.map((count) => count[name])),
  ];
  await connection.query({ ...ADD, values });
}

const PRUNE = {
  name: 'usage-prune',
  text: `DELETE FROM usage_hours WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM usage_hours WHERE hour < now() - ${KEPT_DAYS} * interval '1 day' ORDER BY hour LIMIT $1))`,
};

/** Deletes some counts that are too old. */
export async function pruneUsage(connection: Queryable, limit: number): Promise<void> {
  await connection.query({ ...PRUNE, values: [limit] });
}

/** What usage is summed by, and the columns of each. */
const DIMENSIONS = {
  user: ['user_id'],
  project: ['user_id', 'project_id'],
  flow: ['user_id', 'flow_id'],
  key: ['user_id', 'key_id'],
  pool: ['pool'],
  model: ['provider', 'model'],
} as const;

export type UsageDimension = keyof typeof DIMENSIONS;
export const usageDimensions = Object.keys(DIMENSIONS) as readonly UsageDimension[];

export interface UsageQuery {
  /** Null for all users. */
  readonly userId: string | null;
  readonly flowId?: string | undefined;
  readonly from: Date;
  readonly before: Date;
  readonly by: readonly UsageDimension[];
  /** Absent for one sum over the whole time. */
  readonly interval?: 'hour' | 'day' | undefined;
  readonly limit: number;
}

/** The sums of one group. Members that the question does not sum by are null; so are names of what was deleted. A key can have an empty name. */
export interface UsageGroup extends UsageNumbers {
  /** Begin of the interval in UTC. */
  readonly start: Date | null;
  readonly userId: string | null;
  readonly username: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
  readonly flowId: string | null;
  readonly flowName: string | null;
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly pool: string | null;
  readonly provider: string | null;
  readonly model: string | null;
}

/** Sums the counts of some time; the groups with the most runs and calls first, or by time where there are intervals. */
export async function readUsage(
  connection: Queryable,
  { userId, flowId, from, before, by, interval, limit }: UsageQuery,
): Promise<UsageGroup[]> {
  const wanted = new Set(by.flatMap((dimension): readonly string[] => DIMENSIONS[dimension]));
  const isByModel = by.includes('model');
  const grouped = (column: string, type = 'uuid') =>
    wanted.has(column) ? `counted.${column}` : `NULL::${type} AS ${column}`;
  const start = interval === undefined ? 'NULL::timestamptz' : `date_trunc('${interval}', hour, 'UTC')`;
  // A run with two models is one run. By model, it is one run of each.
  const ofRuns = isByModel ? `counted.model <> ''` : `counted.model = ''`;
  const sum = (column: string) =>
    /^(runs|failures|.*_milliseconds)$/.test(column)
      ? `coalesce(sum(${column}) FILTER (WHERE ${ofRuns}), 0)::float8`
      : `sum(${column})::float8`;
  const groups = [...wanted, ...(interval === undefined ? [] : ['start'])];
  const { rows } = await connection.query<UsageGroup>({
    text: `WITH counted AS (
        SELECT usage_hours.*, ${start} AS start, flows.folder_id AS project_id FROM usage_hours
        LEFT JOIN flows ON flows.id = usage_hours.flow_id
        WHERE ($1::uuid IS NULL OR usage_hours.user_id = $1) AND ($2::uuid IS NULL OR flow_id = $2)
          AND hour >= $3 AND hour < $4 ${isByModel ? `AND model <> ''` : ''}
      ), sums AS (
        SELECT ${interval === undefined ? 'NULL::timestamptz AS start' : 'start'}, ${grouped('user_id')}, ${grouped('project_id')},
          ${grouped('flow_id')}, ${grouped('key_id')}, ${grouped('pool', 'text')}, ${grouped('provider', 'text')},
          ${grouped('model', 'text')}, ${NUMBERS.map(([column, name]) => `${sum(column)} AS "${name}"`).join(', ')}
        FROM counted ${groups.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${groups.join(', ')}`}
        ORDER BY start NULLS FIRST, "runs" DESC, "calls" DESC, "inputTokens" DESC LIMIT $5
      )
      SELECT sums.start, sums.user_id AS "userId", users.username, sums.project_id AS "projectId", projects.name AS "projectName",
        sums.flow_id AS "flowId", flows.name AS "flowName", nullif(sums.key_id, '${NO_KEY}') AS "keyId",
        CASE WHEN api_keys.id IS NOT NULL THEN coalesce(api_keys.name, '') END AS "keyName",
        sums.pool, sums.provider, sums.model, ${NUMBERS.map(([, name]) => `sums."${name}"`).join(', ')}
      FROM sums LEFT JOIN users ON users.id = sums.user_id LEFT JOIN flows ON flows.id = sums.flow_id
      LEFT JOIN projects ON projects.id = sums.project_id AND projects.user_id = sums.user_id
      LEFT JOIN api_keys ON api_keys.id = sums.key_id
      ORDER BY sums.start NULLS FIRST, sums."runs" DESC, sums."calls" DESC, sums."inputTokens" DESC`,
    values: [userId, flowId ?? null, from, before, limit],
  });
  return rows;
}
