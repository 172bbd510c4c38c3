import type { Transactional } from '@millrace/database';
import { unstorableCharacter } from '@millrace/http';
import { translateConstraintErrors } from '../translate-constraint-errors';
import type { Encryption } from '../encryption/encryption';

const CONSTRAINTS = { mcp_servers_name: 'name' };

/** Connection settings of an MCP server, as its user wrote them. */
export type McpServerConfig = Readonly<Record<string, unknown>>;

/** Stores the MCP servers of all users, by name. Connection settings are encrypted at rest. */
export class McpServerStore {
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
  within(transaction: Transactional): McpServerStore {
    return new McpServerStore({ database: transaction, encryption: this.#encryption });
  }

  /** Throws DuplicateError('name'). */
  async create(userId: string, name: string, config: McpServerConfig): Promise<void> {
    await translateConstraintErrors(CONSTRAINTS, () =>
      this.#database.query({
        text: `INSERT INTO mcp_servers (user_id, name, encrypted_config) VALUES ($1, $2, $3)`,
        values: [userId, name, this.#encrypted(config)],
      }),
    );
  }

  /** Stores a server; replaces the one that has the name. */
  async save(userId: string, name: string, config: McpServerConfig): Promise<void> {
    await translateConstraintErrors(CONSTRAINTS, () =>
      this.#database.query({
        text: `INSERT INTO mcp_servers (user_id, name, encrypted_config) VALUES ($1, $2, $3)
          ON CONFLICT (user_id, md5(name)) DO UPDATE
          SET encrypted_config = excluded.encrypted_config, updated_at = now()`,
        values: [userId, name, this.#encrypted(config)],
      }),
    );
  }

  /** The names of the user's servers, oldest first. */
  async names(userId: string): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ name: string }>({
      text: `SELECT name FROM mcp_servers WHERE user_id = $1 ORDER BY created_at, name`,
      values: [userId],
    });
    return rows.map(({ name }) => name);
  }

  /** Null when the user has no server of this name. */
  async find(userId: string, name: string): Promise<McpServerConfig | null> {
    if (unstorableCharacter(name) !== null) return null;
    const { rows } = await this.#database.query<{ encryptedConfig: string }>({
      text: `SELECT encrypted_config AS "encryptedConfig" FROM mcp_servers
        WHERE user_id = $1 AND md5(name) = md5($2) AND name = $2`,
      values: [userId, name],
    });
    const [found] = rows;
    if (found === undefined) return null;
    return JSON.parse(this.#encryption.decrypt(found.encryptedConfig)) as McpServerConfig;
  }

  /** False when the user has no server of this name. */
  async delete(userId: string, name: string): Promise<boolean> {
    if (unstorableCharacter(name) !== null) return false;
    const { rowCount } = await this.#database.query({
      text: `DELETE FROM mcp_servers WHERE user_id = $1 AND md5(name) = md5($2) AND name = $2`,
      values: [userId, name],
    });
    return rowCount > 0;
  }

  #encrypted(config: McpServerConfig): string {
    return this.#encryption.encrypt(JSON.stringify(config));
  }
}
