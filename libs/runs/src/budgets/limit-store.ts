import type { Transactional } from '@millrace/database';
import { readEndUserSpend, readSpend } from './spend';
import type { Spend } from './spend';
import type { Limits, LimitScope } from '../limits/limits';

/** The table of each scope, its column with a name, and its column with the owner. */
const TABLES: Readonly<
  Record<LimitScope, { readonly table: string; readonly name: string; readonly owner: string }>
> = {
  key: { table: 'api_keys', name: 'name', owner: 'user_id' },
  user: { table: 'users', name: 'username', owner: 'id' },
  project: { table: 'projects', name: 'name', owner: 'user_id' },
  flow: { table: 'flows', name: 'name', owner: 'user_id' },
};

/** What has limits. */
export interface LimitedObject {
  readonly scope: LimitScope;
  readonly id: string;
  /** The user who must own it; null for any. */
  readonly ownerId: string | null;
}

/** Limits as they are stored, with the name of what they are about. */
export interface StoredLimits {
  readonly name: string | null;
  readonly limits: Limits;
}

/** Limits in a list. */
export interface ListedLimits extends StoredLimits {
  readonly scope: LimitScope;
  readonly id: string;
  /** Empty without a budget. */
  readonly spend: readonly Spend[];
}

const LIST = {
  name: 'limits-list',
  text: `${Object.entries(TABLES)
    .map(
      ([scope, { table, name, owner }]) =>
        `SELECT '${scope}' AS scope, id, ${name} AS name, limits FROM ${table} WHERE ${owner} = $1 AND limits IS NOT NULL`,
    )
    .join(' UNION ALL ')} ORDER BY scope, name, id LIMIT $2`,
};

/** Stores the limits of keys, users, projects and flows, in their rows. */
export class LimitStore {
  readonly #database: Transactional;

  constructor({ database }: { readonly database: Transactional }) {
    this.#database = database;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): LimitStore {
    return new LimitStore({ database: transaction });
  }

  /** Null when there is no such object. */
  async find({ scope, id, ownerId }: LimitedObject): Promise<StoredLimits | null> {
    const { table, name, owner } = TABLES[scope];
    const { rows } = await this.#database.query<StoredLimits>({
      text: `SELECT ${name} AS name, coalesce(limits, '{}') AS limits FROM ${table}
        WHERE id = $1 AND ($2::uuid IS NULL OR ${owner} = $2)`,
      values: [id, ownerId],
    });
    return rows[0] ?? null;
  }

  /** Returns what is spent of the budgets of an object that exists. */
  async spend({ scope, id, ownerId }: LimitedObject): Promise<readonly Spend[]> {
    const [spend = []] = await readSpend(this.#database, ownerId ?? id, [{ scope, id }]);
    return spend;
  }

  /** Returns what an end user of a user has spent of their budgets. */
  endUserSpend(userId: string, endUser: string): Promise<readonly Spend[]> {
    return readEndUserSpend(this.#database, userId, endUser);
  }

  /** Returns what limits a user and its keys, projects and flows, with the spend of what has a budget; at most `limit`. */
  async list(userId: string, limit: number): Promise<readonly ListedLimits[]> {
    const { rows } = await this.#database.query<Omit<ListedLimits, 'spend'>>({
      ...LIST,
      values: [userId, limit],
    });
    const budgeted = rows.filter(({ limits }) => limits.budget !== undefined);
    const spend = await readSpend(this.#database, userId, budgeted);
    return rows.map((row) => ({ ...row, spend: spend[budgeted.indexOf(row)] ?? [] }));
  }

  /** Replaces the limits; null when there is no such object. */
  async replace({ scope, id, ownerId }: LimitedObject, limits: Limits): Promise<StoredLimits | null> {
    const { table, name, owner } = TABLES[scope];
    const { rows } = await this.#database.query<StoredLimits>({
      text: `UPDATE ${table} SET limits = nullif($3::jsonb, '{}') WHERE id = $1 AND ($2::uuid IS NULL OR ${owner} = $2)
        RETURNING ${name} AS name, coalesce(limits, '{}') AS limits`,
      values: [id, ownerId, JSON.stringify(limits)],
    });
    return rows[0] ?? null;
  }
}
