import { randomUUID } from 'node:crypto';
import type { Queryable, Transactional } from '@millrace/database';
import { nextFreeName } from '../flows/next-free-name';
import { translateConstraintErrors } from '../translate-constraint-errors';
import type { NewProject, ProjectChanges, ProjectRecord } from './project-record';

const CONSTRAINTS = { projects_name: 'name', projects_pkey: 'id' };
const NAME = { before: ' (', after: ')' };
const COLUMNS = `projects.id, user_id AS "userId", name, description, parent_id AS "parentId",
  projects.id = users.folder_id AS "isDefault"`;
const PROJECTS = 'projects JOIN users ON users.id = projects.user_id';

/** Stores the projects of all users. */
export class ProjectStore {
  readonly #database: Transactional;

  constructor({ database }: { readonly database: Transactional }) {
    this.#database = database;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): ProjectStore {
    return new ProjectStore({ database: transaction });
  }

  /** The user's projects: the default one first, the others by name. */
  async list(userId: string): Promise<ProjectRecord[]> {
    const { rows } = await this.#database.query<ProjectRecord>({
      text: `SELECT ${COLUMNS} FROM ${PROJECTS} WHERE user_id = $1
        ORDER BY projects.id <> users.folder_id, name COLLATE "C"`,
      values: [userId],
    });
    return rows;
  }

  /** Null when the user has no such project. */
  async find(userId: string, id: string): Promise<ProjectRecord | null> {
    return findProject(this.#database, userId, id);
  }

  /**
   * Stores a project; a name that the user has already becomes "name (1)", or with `exactName` is refused with
   * DuplicateError('name'). Safe under concurrent calls.
   */
  async create(
    userId: string,
    { id = randomUUID(), name, description = null }: NewProject,
    { exactName = false }: { readonly exactName?: boolean } = {},
  ): Promise<ProjectRecord> {
    return translateConstraintErrors(CONSTRAINTS, () =>
      this.#database.transaction(async (connection) => {
        // Transactions that choose names for the same user wait for each other.
        await connection.query({
          text: 'SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE',
          values: [userId],
        });
        const free = exactName ? name : await freeName(connection, userId, name);
        await connection.query({
          text: 'INSERT INTO projects (user_id, id, name, description) VALUES ($1, $2, $3, $4)',
          values: [userId, id, free, description],
        });
        const created = await findProject(connection, userId, id);
        if (created === null) throw new Error('the database returned no row for a new project');
        return created;
      }),
    );
  }

  /** Changes a project; null when the user has no such project. Throws DuplicateError('name'). */
  async update(
    userId: string,
    id: string,
    { name, description, parentId }: ProjectChanges,
  ): Promise<ProjectRecord | null> {
    return translateConstraintErrors(CONSTRAINTS, async () => {
      await this.#database.query({
        text: `UPDATE projects SET name = coalesce($3, name), description = coalesce($4, description),
            parent_id = coalesce($5, parent_id) WHERE user_id = $1 AND id = $2`,
        values: [userId, id, name ?? null, description ?? null, parentId ?? null],
      });
      return this.find(userId, id);
    });
  }

  /** Moves those of these flows that the user owns to a project of the user. */
  async moveFlows(userId: string, id: string, flowIds: readonly string[]): Promise<void> {
    await this.#database.query({
      text: `UPDATE flows SET folder_id = $2 WHERE user_id = $1 AND id = ANY($3::uuid[])`,
      values: [userId, id, flowIds],
    });
  }

  /** Deletes a project without flows; false when it has flows or does not exist. Its children have no parent afterwards. */
  async deleteEmpty(userId: string, id: string): Promise<boolean> {
    return this.#database.transaction((connection) => deleteEmpty(connection, [userId, id]));
  }
}

async function deleteEmpty(
  connection: Queryable,
  values: readonly [userId: string, id: string],
): Promise<boolean> {
  // Waits for flows that are being moved to the project; those that come later find it deleted.
  await connection.query({
    text: 'SELECT FROM projects WHERE user_id = $1 AND id = $2 FOR UPDATE',
    values,
  });
  const { rowCount } = await connection.query({
    text: `DELETE FROM projects WHERE user_id = $1 AND id = $2
      AND NOT EXISTS (SELECT FROM flows WHERE user_id = $1 AND folder_id = $2)`,
    values,
  });
  if (rowCount === 0) return false;
  await connection.query({
    text: 'UPDATE projects SET parent_id = NULL WHERE user_id = $1 AND parent_id = $2',
    values,
  });
  return true;
}

async function findProject(connection: Queryable, userId: string, id: string): Promise<ProjectRecord | null> {
  const { rows } = await connection.query<ProjectRecord>({
    text: `SELECT ${COLUMNS} FROM ${PROJECTS} WHERE user_id = $1 AND projects.id = $2`,
    values: [userId, id],
  });
  return rows[0] ?? null;
}

async function freeName(connection: Queryable, userId: string, name: string): Promise<string> {
  const { rows } = await connection.query<{ name: string }>({
    text: `SELECT name FROM projects WHERE user_id = $1 AND starts_with(name, $2)`,
    values: [userId, name],
  });
  return nextFreeName(
    name,
    rows.map((row) => row.name),
    NAME,
  );
}
