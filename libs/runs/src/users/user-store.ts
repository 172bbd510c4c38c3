import { randomUUID } from 'node:crypto';
import type { Transactional } from '@millrace/database';
import { translateConstraintErrors } from '../translate-constraint-errors';
import type { UserRecord } from './user-record';

const FIRST_USERNAME = 'admin';

const COLUMNS = `id, username, is_admin AS "isAdmin", created_at AS "createdAt", folder_id AS "folderId"`;

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
