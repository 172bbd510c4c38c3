import { randomUUID } from 'node:crypto';
import { textArray, uuidArray } from '@millrace/database';
import type { Transactional } from '@millrace/database';
import { unstorableCharacter } from '@millrace/http';
import { GroupCommit } from '../group-commit';
import { translateConstraintErrors } from '../translate-constraint-errors';
import { DefaultFields } from './default-fields';
import type { Encryption } from '../encryption/encryption';
import type { OutsideSecrets } from './outside/outside-secrets';
import type { NewVariable, VariableChanges, VariableRecord } from './variable-record';

const CONSTRAINTS = { variables_name: 'name' };

const COLUMNS = `id, user_id AS "userId", name, type, encrypted_value AS "encryptedValue",
  default_fields AS "defaultFields", created_at AS "createdAt", updated_at AS "updatedAt"`;

const LOOKUPS_AT_ONCE = 500;
/** Far more than the runs of an executor. */
const MAXIMUM_LOOKUPS = 50_000;

// A name is compared by its digest first, because it may be longer than an index entry can be.
const FIND = {
  name: 'variables-find',
  text: `SELECT given.position::integer AS position, encrypted_value AS "encryptedValue", type
    FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS given (user_id, name, position)
    JOIN variables ON variables.user_id = given.user_id AND md5(variables.name) = md5(given.name)
      AND variables.name = given.name`,
};

interface VariablePlace {
  readonly userId: string;
  readonly name: string;
}

interface FoundVariable {
  readonly encryptedValue: string;
  readonly type: string;
}

type VariableRow = Omit<VariableRecord, 'value'> & { readonly encryptedValue: string };

/** Stores the global variables of all users; values are encrypted at rest. */
export class VariableStore {
  readonly #database: Transactional;
  readonly #encryption: Encryption;
  readonly #outside: OutsideSecrets | null;
  #defaultFields: DefaultFields | undefined;
  // Runs that call models read a variable each. A query starts after its lookups, so it sees every earlier change.
  readonly #lookups = new GroupCommit<VariablePlace, FoundVariable | undefined>({
    commit: (places) => this.#findAll(places),
    maximumWaitMilliseconds: 0,
    maximumItems: LOOKUPS_AT_ONCE,
    maximumPending: MAXIMUM_LOOKUPS,
    maximumInFlight: 2,
  });

  constructor({
    database,
    encryption,
    outside = null,
  }: {
    readonly database: Transactional;
    readonly encryption: Encryption;
    /** Where variables come from that a user has not stored; nowhere by default. */
    readonly outside?: OutsideSecrets | null;
  }) {
    this.#database = database;
    this.#encryption = encryption;
    this.#outside = outside;
  }

  /** Which fields the variables fill. */
  get defaultFields(): DefaultFields {
    return (this.#defaultFields ??= new DefaultFields(this.#database));
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): VariableStore {
    return new VariableStore({
      database: transaction,
      encryption: this.#encryption,
      outside: this.#outside,
    });
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

  /** Closes the connections to where variables come from outside. */
  async close(): Promise<void> {
    await this.#outside?.close();
  }

  /** Whether variables can come from outside. */
  get hasOutside(): boolean {
    return this.#outside !== null;
  }

  /** Returns the names that a user has outside. Rejects with SecretStoreUnavailableError. */
  async outsideNames(userId: string): Promise<readonly string[]> {
    return (await this.#outside?.names(userId)) ?? [];
  }

  /**
   * Returns the user's variable with this name, else that from outside, which is a credential; undefined when there is none. Concurrent lookups
   * share a query. Rejects with SecretStoreUnavailableError.
   */
  async find(
    userId: string,
    name: string,
  ): Promise<{ readonly value: string; readonly isCredential: boolean } | undefined> {
    if (unstorableCharacter(name) !== null) return undefined;
    const row = await this.#lookups.add({ userId, name });
    if (row !== undefined)
      return { value: this.#encryption.decrypt(row.encryptedValue), isCredential: row.type === 'Credential' };
    const value = await this.#outside?.find(userId, name);
    return value === undefined ? undefined : { value, isCredential: true };
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

  async #findAll(places: readonly VariablePlace[]): Promise<(FoundVariable | undefined)[]> {
    const { rows } = await this.#database.query<FoundVariable & { readonly position: number }>({
      ...FIND,
      values: [uuidArray(places.map(({ userId }) => userId)), textArray(places.map(({ name }) => name))],
    });
    const byPosition = new Map(rows.map((row) => [row.position, row]));
    return places.map((_, index) => byPosition.get(index + 1));
  }

  /** One value that no key opens must not hide the others. */
  #record({ encryptedValue, ...row }: VariableRow): VariableRecord {
    return { ...row, value: this.#encryption.tryDecrypt(encryptedValue) };
  }
}
