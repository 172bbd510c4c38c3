import type { Queryable } from '@millrace/database';
import type { BudgetScope } from '../limits/limits';
import type { Amount } from './decide-reservations';

/** What a budget of the current day or month has spent. */
export interface Spend extends Amount {
  readonly period: 'day' | 'month';
  /** Begin of the period, in UTC. */
  readonly start: Date;
  /** The worst cases of calls that have not ended, and of those whose process was lost. */
  readonly reserved: Amount;
}

const READ = {
  name: 'budget-spend-read',
  text: `SELECT given.scope, given.id, periods.period, periods.start, coalesce(spend.tokens, 0)::float8 AS tokens,
      coalesce(spend.dollars, 0)::float8 AS dollars, coalesce(spend.reserved_tokens, 0)::float8 AS "reservedTokens",
      coalesce(spend.reserved_dollars, 0)::float8 AS "reservedDollars"
    FROM unnest($2::text[], $3::uuid[]) AS given (scope, id)
    CROSS JOIN (SELECT period, date_trunc(period, now(), 'UTC') AS start FROM unnest(ARRAY['day', 'month']) AS period) AS periods
    LEFT JOIN budget_spend AS spend ON spend.user_id = $1 AND spend.scope = given.scope AND spend.object_id = given.id
      AND spend.period = periods.period AND spend.start = periods.start ORDER BY periods.period`,
};

/** SQL: where the spend of an end user of one user is added up, by the SQL of their name: a digest, by which a name can be guessed and checked. */
export const endUserId = (name: string) => `md5('end user ' || ${name})::uuid`;

/** What has a budget. */
interface Budgeted {
  readonly scope: BudgetScope;
  readonly id: string;
}

interface SpendRow extends Omit<Spend, 'reserved'>, Budgeted {
  readonly reservedTokens: number;
  readonly reservedDollars: number;
}

/** Reads what is spent of the budgets of a user, today and this month, in the order of the budgets. */
export async function readSpend(
  connection: Queryable,
  userId: string,
  budgeted: readonly Budgeted[],
): Promise<readonly (readonly Spend[])[]> {
  if (budgeted.length === 0) return [];
  const values = [userId, budgeted.map(({ scope }) => scope), budgeted.map(({ id }) => id)];
  const { rows } = await connection.query<SpendRow>({ ...READ, values });
  const found = new Map<string, Spend[]>();
  for (const { scope, id, reservedTokens, reservedDollars, ...spend } of rows) {
    const reserved = { tokens: reservedTokens, dollars: reservedDollars };
    found.set(`${scope} ${id}`, [...(found.get(`${scope} ${id}`) ?? []), { ...spend, reserved }]);
  }
  return budgeted.map(({ scope, id }) => found.get(`${scope} ${id}`) ?? []);
}

/** Reads what an end user of a user has spent of their budgets, today and this month. */
export async function readEndUserSpend(
  connection: Queryable,
  userId: string,
  endUser: string,
): Promise<readonly Spend[]> {
  const { rows } = await connection.query<{ id: string }>({
    name: 'budget-end-user-id',
    text: `SELECT ${endUserId('$1::text')} AS id`,
    values: [endUser],
  });
  const [spend = []] = await readSpend(
    connection,
    userId,
    rows.map(({ id }) => ({ scope: 'end_user', id })),
  );
  return spend;
}

/** SQL of the statement that deletes the spend of an end user ($2) of a user ($1). */
export const FORGET_END_USER = `DELETE FROM budget_spend WHERE user_id = $1 AND scope = 'end_user'
  AND object_id = ${endUserId('$2::text')}`;

/** As long as the counts of usage. */
const KEPT_DAYS = 400;
/** Longer than a run with a caller can take, and than a callback is retried. */
const KEPT_DAYS_OF_RUNS = 4;
/** From the begin of the day or month: longer than a month. */
const KEPT_DAYS_OF_END_USERS = 36;
/** A key can name any number of end users, so that more is deleted at once than of others. */
const END_USERS_AT_ONCE = 5_000;

const PRUNE = {
  name: 'budget-spend-prune',
  text: `DELETE FROM budget_spend WHERE id = ANY(ARRAY(
      (SELECT id FROM budget_spend WHERE period <> 'run' AND updated_at < now() - ${KEPT_DAYS} * interval '1 day'
        ORDER BY updated_at LIMIT $1)
      UNION ALL
      (SELECT id FROM budget_spend WHERE period = 'run' AND updated_at < now() - ${KEPT_DAYS_OF_RUNS} * interval '1 day'
        AND NOT EXISTS (SELECT FROM runs WHERE runs.id = budget_spend.object_id AND runs.finished_at IS NULL)
        ORDER BY updated_at LIMIT $1)
      UNION ALL
      (SELECT id FROM budget_spend WHERE scope = 'end_user' AND start < now() - ${KEPT_DAYS_OF_END_USERS} * interval '1 day'
        ORDER BY start LIMIT ${END_USERS_AT_ONCE})))`,
};

const PRUNE_RESERVATIONS = {
  name: 'budget-reservations-prune',
  text: `DELETE FROM budget_reservations WHERE id = ANY(ARRAY(
      SELECT id FROM budget_reservations WHERE reserved_at < now() - ${KEPT_DAYS} * interval '1 day' ORDER BY reserved_at LIMIT $1))`,
};

/** Deletes some spend that is too old. */
export async function pruneSpend(connection: Queryable, limit: number): Promise<void> {
  await connection.query({ ...PRUNE, values: [limit] });
  await connection.query({ ...PRUNE_RESERVATIONS, values: [limit] });
}
