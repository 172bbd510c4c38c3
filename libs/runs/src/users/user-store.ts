import { randomUUID } from 'node:crypto';
import { textArray } from '@millrace/database';
import type { Transactional } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { translateConstraintErrors } from '../translate-constraint-errors';
import type { UserRecord } from './user-record';

const FIRST_USERNAME = 'admin';

const COLUMNS = `id, username, is_admin AS "isAdmin", deactivated_at IS NULL AS "isActive", created_at AS "createdAt",
  changed_at AS "changedAt", profile_image AS "profileImage", optins, folder_id AS "folderId"`;

/** Which users a list has. Without a text, all. */
export interface UserFilter {
  /** Part of the name, in any case. */
  readonly search?: string | undefined;
  readonly username?: string | undefined;
}

/** New values; those that are absent stay. */
export interface UserChanges {
  readonly username?: string | undefined;
  readonly isAdmin?: boolean | undefined;
  readonly isActive?: boolean | undefined;
  readonly profileImage?: string | undefined;
  readonly optins?: object | undefined;
}

export type NamedUser = Pick<UserRecord, 'id' | 'username' | 'isActive'>;

/** Stores the users. */
export class UserStore {
  readonly #database: Transactional;

  constructor({ database }: { readonly database: Transactional }) {
    this.#database = database;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): UserStore {
    return new UserStore({ database: transaction });
  }

  /** Returns the first user, an admin, and creates it if necessary. Safe under concurrent calls. */
  async ensureFirst(): Promise<UserRecord> {
    return (await this.makeFirst()).user;
  }

  /** As `ensureFirst`, and whether this call created the user. */
  async makeFirst(): Promise<{ readonly user: UserRecord; readonly isNew: boolean }> {
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO users (id, username, is_admin) VALUES ($1, $2, true) ON CONFLICT (username) DO NOTHING`,
      values: [randomUUID(), FIRST_USERNAME],
    });
    const { rows } = await this.#database.query<UserRecord>({
      text: `SELECT ${COLUMNS} FROM users WHERE username = $1`,
      values: [FIRST_USERNAME],
    });
    const [first] = rows;
    if (first === undefined)
      throw new Error(`the user "${FIRST_USERNAME}" was deleted while it was being created`);
    return { user: first, isNew: rowCount > 0 };
  }

  /** Throws DuplicateError when the name is taken. */
  async create(user: { readonly username: string; readonly isAdmin: boolean }): Promise<UserRecord> {
    return translateConstraintErrors({ users_username_key: 'username' }, async () => {
      const { rows } = await this.#database.query<UserRecord>({
        text: `INSERT INTO users (id, username, is_admin) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
        values: [randomUUID(), user.username, user.isAdmin],
      });
      const [created] = rows;
      if (created === undefined) throw new Error('the database returned no row for a new user');
      return created;
    });
  }

  /** All users, oldest first. */
  async list(): Promise<UserRecord[]> {
    const { rows } = await this.#database.query<UserRecord>({
      text: `SELECT ${COLUMNS} FROM users ORDER BY created_at, id`,
    });
    return rows;
  }

  /** One page of the users that a filter has, by name, and how many it has. */
  async page(
    { search, username }: UserFilter,
    { skip, limit }: { readonly skip: number; readonly limit: number },
  ): Promise<{ readonly users: UserRecord[]; readonly total: number }> {
    const filter = `($1::text IS NULL OR strpos(lower(username), lower($1)) > 0)
      AND ($2::text IS NULL OR username = $2)`;
    const values = [search ?? null, username ?? null];
    const [{ rows: users }, { rows: counts }] = await Promise.all([
      this.#database.query<UserRecord>({
        text: `SELECT ${COLUMNS} FROM users WHERE ${filter} ORDER BY username, id OFFSET $3 LIMIT $4`,
        values: [...values, skip, limit],
      }),
      this.#database.query<{ total: number }>({
        text: `SELECT count(*)::int AS total FROM users WHERE ${filter}`,
        values,
      }),
    ]);
    return { users, total: counts[0]?.total ?? 0 };
  }

  /** Returns the users with these names and ids, by these. An id goes before a name that is the same. */
  async named(references: readonly string[]): Promise<ReadonlyMap<string, NamedUser>> {
    if (references.length === 0) return new Map();
    const { rows } = await this.#database.query<NamedUser & { readonly reference: string }>({
      text: `SELECT DISTINCT ON (reference) reference, id, username, deactivated_at IS NULL AS "isActive"
        FROM unnest($1::text[]) AS given (reference) JOIN users ON username = reference OR id::text = reference
        ORDER BY reference, id::text = reference DESC`,
      values: [textArray(references.map((reference) => storableText(reference)))],
    });
    return new Map(rows.map(({ reference, ...user }) => [reference, user]));
  }

  /** Changes a user; null when there is none. Throws DuplicateError when the name is taken. */
  async change(
    id: string,
    { username, isAdmin, isActive, profileImage, optins }: UserChanges,
  ): Promise<UserRecord | null> {
    return translateConstraintErrors({ users_username_key: 'username' }, async () => {
      const { rows } = await this.#database.query<UserRecord>({
        text: `UPDATE users SET username = coalesce($2, username), is_admin = coalesce($3, is_admin),
            deactivated_at = CASE WHEN $4::boolean IS NULL THEN deactivated_at
              WHEN $4 THEN NULL ELSE coalesce(deactivated_at, now()) END,
            profile_image = coalesce($5, profile_image), optins = coalesce($6::jsonb, optins), changed_at = now()
          WHERE id = $1 RETURNING ${COLUMNS}`,
        values: [
          id,
          username ?? null,
          isAdmin ?? null,
          isActive ?? null,
          profileImage ?? null,
          optins === undefined ? null : JSON.stringify(optins),
        ],
      });
      return rows[0] ?? null;
    });
  }

  /** Deletes a user with their keys, variables, files, vectors, MCP servers and sessions; null when there is none. */
  async delete(id: string): Promise<UserRecord | null> {
    const { rows } = await this.#database.query<UserRecord>({
      text: `DELETE FROM users WHERE id = $1 RETURNING ${COLUMNS}`,
      values: [id],
    });
    return rows[0] ?? null;
  }

  async find(id: string): Promise<UserRecord | null> {
    const { rows } = await this.#database.query<UserRecord>({
      text: `SELECT ${COLUMNS} FROM users WHERE id = $1`,
      values: [id],
    });
    return rows[0] ?? null;
  }
}
