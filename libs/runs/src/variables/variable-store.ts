import { randomUUID } from 'node:crypto';
import type { Transactional } from '@millrace/database';
import { translateConstraintErrors } from '../translate-constraint-errors';
import type { Encryption } from './encryption';
import type { NewVariable, VariableChanges, VariableRecord } from './variable-record';

const CONSTRAINTS = { variables_name: 'name' };

const COLUMNS = `id, user_id AS "userId", name, type, encrypted_value AS "encryptedValue",
  default_fields AS "defaultFields", created_at AS "createdAt", updated_at AS "updatedAt"`;

type VariableRow = Omit<VariableRecord, 'value'> & { readonly encryptedValue: string };

/** Stores the global variables of all users; values are encrypted at rest. */
export class VariableStore {
  readonly #database: Transactional;
  readonly #encryption: Encryption;

  constructor({
    database,
    encryption,
  }: {
    readonly database: Transactional;
    readonly encryption: Encryption;
  }) {
    this.#database = database;
    this.#encryption = encryption;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): VariableStore {
    return new VariableStore({ database: transaction, encryption: this.#encryption });
  }

  /** Throws DuplicateError('name'). */
  async create(userId: string, { name, value, type, defaultFields }: NewVariable): Promise<VariableRecord> {
    return translateConstraintErrors(CONSTRAINTS, async () => {
      const { rows } = await this.#database.query<VariableRow>({
        text: `INSERT INTO variables (id, user_id, name, type, encrypted_value, default_fields)
          VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
        values: [randomUUID(), userId, name, type, this.#encryption.encrypt(value), [...defaultFields]],
      });
      const [created] = rows;
      if (created === undefined) throw new Error('the database returned no row for a new variable');
      return this.#record(created);
    });
  }

  /** Lists the user's variables, oldest first. */
  async list(userId: string): Promise<VariableRecord[]> {
    const { rows } = await this.#database.query<VariableRow>({
      text: `SELECT ${COLUMNS} FROM variables WHERE user_id = $1 ORDER BY created_at, id`,
      values: [userId],
    });
    return rows.map((row) => this.#record(row));
  }

  /** Null when the user has no such variable. Throws DuplicateError('name'). */
  async update(userId: string, id: string, changes: VariableChanges): Promise<VariableRecord | null> {
    return translateConstraintErrors(CONSTRAINTS, async () => {
      const { rows } = await this.#database.query<VariableRow>({
        text: `UPDATE variables SET name = coalesce($3, name), type = CASE WHEN $4 THEN $5 ELSE type END,
            encrypted_value = coalesce($6, encrypted_value), default_fields = coalesce($7, default_fields),
            updated_at = now()
          WHERE id = $1 AND user_id = $2 RETURNING ${COLUMNS}`,
        values: [
          id,
          userId,
          changes.name ?? null,
          changes.type !== undefined,
          changes.type ?? null,
          changes.value === undefined ? null : this.#encryption.encrypt(changes.value),
          changes.defaultFields ?? null,
        ],
      });
      return rows[0] === undefined ? null : this.#record(rows[0]);
    });
  }

  /** False when the user has no such variable. */
  async delete(userId: string, id: string): Promise<boolean> {
    return (await this.remove(userId, id)) !== null;
  }

  /** Deletes a variable and returns its id and name; null when the user has no such variable. */
  async remove(userId: string, id: string): Promise<Pick<VariableRecord, 'id' | 'name'> | null> {
    const { rows } = await this.#database.query<Pick<VariableRecord, 'id' | 'name'>>({
      text: `DELETE FROM variables WHERE id = $1 AND user_id = $2 RETURNING id, name`,
      values: [id, userId],
    });
    return rows[0] ?? null;
  }

  /** Returns the user's variable with this name; undefined when there is none. */
  async find(
    userId: string,
    name: string,
  ): Promise<{ readonly value: string; readonly isCredential: boolean } | undefined> {
    if (name.includes('\u0000')) return undefined;
    const { rows } = await this.#database.query<{ encryptedValue: string; type: string }>({
      name: 'variable-value',
      text: `SELECT encrypted_value AS "encryptedValue", type FROM variables
        WHERE user_id = $1 AND md5(name) = md5($2) AND name = $2`,
      values: [userId, name],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    return { value: this.#encryption.decrypt(row.encryptedValue), isCredential: row.type === 'Credential' };
  }

  /** Returns the value of the user's variable with this name; undefined when there is none. */
  async value(userId: string, name: string): Promise<string | undefined> {
    return (await this.find(userId, name))?.value;
  }

  /** Returns all values of the user that a key opens, by name. */
  async values(userId: string): Promise<ReadonlyMap<string, string>> {
    const variables = await this.list(userId);
    return new Map(variables.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])));
  }

  /** One value that no key opens must not hide the others. */
  #record({ encryptedValue, ...row }: VariableRow): VariableRecord {
    return { ...row, value: this.#encryption.tryDecrypt(encryptedValue) };
  }
}
