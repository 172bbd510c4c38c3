import { booleanArray, textArray, timestampArray, uuidArray } from '@millrace/database';
import type { Transactional } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { nextFreeName } from '../flows/next-free-name';
import { messageBody } from '../messages/message-columns';
import { storableJson } from '../storable-json';
import type { Encryption } from '../encryption/encryption';
import type {
  ImportedFlow,
  ImportedFlowState,
  ImportedKey,
  ImportedMessage,
  ImportedUser,
  ImportedVariable,
} from './imported-records';

const FLOW_NAME = { before: ' (', after: ')' };
const ENDPOINT_NAME = { before: '-', after: '' };

export interface ImportStoreDependencies {
  readonly database: Transactional;
  readonly encryption: Encryption;
}

/**
 * Stores records of another installation under their ids. A record that exists is never changed, so that an import can be
 * repeated.
 */
export class ImportStore {
  readonly #database: Transactional;
  readonly #encryption: Encryption;

  constructor({ database, encryption }: ImportStoreDependencies) {
    this.#database = database;
    this.#encryption = encryption;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): ImportStore {
    return new ImportStore({ database: transaction, encryption: this.#encryption });
  }

  /** Returns the id of the stored user with this id, or else with this name; null when there is none. */
  async userId({ id, username }: Pick<ImportedUser, 'id' | 'username'>): Promise<string | null> {
    const { rows } = await this.#database.query<{ id: string }>({
      text: `SELECT id FROM users WHERE id = $1 OR username = $2 ORDER BY id = $1 DESC LIMIT 1`,
      values: [id, username],
    });
    return rows[0]?.id ?? null;
  }

  /** False when the user exists. */
  async addUser({ id, username, isAdmin, folderId, createdAt }: ImportedUser): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO users (id, username, is_admin, folder_id, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING`,
      values: [id, username, isAdmin, folderId, createdAt],
    });
    return rowCount > 0;
  }

  /** False when a key with this id or hash exists. */
  async addKey(key: ImportedKey): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO api_keys (id, user_id, name, prefix, key_hash, scopes, is_active, created_at, last_used_at,
          total_uses, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
      values: [
        key.id,
        key.userId,
        key.name,
        key.prefix,
        key.keyHash,
        [...key.scopes],
        key.isActive,
        key.createdAt,
        key.lastUsedAt,
        key.totalUses,
        key.expiresAt,
      ],
    });
    return rowCount > 0;
  }

  /** Encrypts and stores a variable. False when a variable with this id exists, or the user has one of this name. */
  async addVariable(variable: ImportedVariable): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO variables (id, user_id, name, type, encrypted_value, default_fields, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
      values: [
        variable.id,
        variable.userId,
        variable.name,
        variable.type,
        this.#encryption.encrypt(variable.value),
        [...variable.defaultFields],
        variable.createdAt,
        variable.updatedAt,
      ],
    });
    return rowCount > 0;
  }

  /**
   * Stores a flow, under the next free name or endpoint name where the user has that of the flow. Must be called in a
   * transaction.
   */
  async addFlow(userId: string, flow: ImportedFlow): Promise<ImportedFlowState> {
    await this.#database.query({
      text: 'SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE',
      values: [userId],
    });
    const owner = await this.flowOwner(flow.id);
    if (owner !== null) return owner === userId ? 'present' : 'taken';
    await this.#database.query({
      text: `INSERT INTO flows (id, user_id, name, description, endpoint_name, version, settings, attributes,
          is_component, webhook, folder_id, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, $10, $11, $11)`,
      values: [
        flow.id,
        userId,
        await this.#freeName('name', userId, flow.name),
        flow.description ?? null,
        flow.endpointName ? await this.#freeName('endpoint_name', userId, flow.endpointName) : null,
        storableJson(flow.settings ?? {}),
        storableJson(flow.attributes ?? {}),
        flow.isComponent ?? false,
        flow.webhook ?? false,
        flow.folderId ?? null,
        flow.updatedAt,
      ],
    });
    await this.#database.query({
      text: `INSERT INTO flow_versions (flow_id, version, document) VALUES ($1, 1, $2)`,
      values: [flow.id, JSON.stringify(flow.document ?? null)],
    });
    return 'added';
  }

  /** The user of a flow; null when there is no such flow. */
  async flowOwner(id: string): Promise<string | null> {
    const { rows } = await this.#database.query<{ userId: string }>({
      text: `SELECT user_id AS "userId" FROM flows WHERE id = $1`,
      values: [id],
    });
    return rows[0]?.userId ?? null;
  }

  /** Stores messages in their order; resolves to the number of those that did not exist. */
  async addMessages(messages: readonly ImportedMessage[]): Promise<number> {
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO messages (id, flow_id, user_id, run_id, timestamp, error, session_id, context_id, sender,
          sender_name, body)
        SELECT id, flow_id, user_id, run_id, timestamp, error, session_id, context_id, sender, sender_name, body
        FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::boolean[], $7::text[],
          $8::text[], $9::text[], $10::text[], $11::text[]) WITH ORDINALITY
          AS given (id, flow_id, user_id, run_id, timestamp, error, session_id, context_id, sender, sender_name, body, place)
        ORDER BY place ON CONFLICT (id) DO NOTHING`,
      values: [
        uuidArray(messages.map(({ id }) => id)),
        uuidArray(messages.map(({ flowId }) => flowId)),
        uuidArray(messages.map(({ userId }) => userId)),
        messages.map(({ runId }) => runId),
        timestampArray(messages.map(({ timestamp }) => timestamp)),
        booleanArray(messages.map(({ error }) => error)),
        textArray(messages.map(({ sessionId }) => storableText(sessionId))),
        textArray(messages.map(({ contextId }) => storableText(contextId))),
        textArray(messages.map(({ sender }) => storableText(sender))),
        textArray(messages.map(({ senderName }) => storableText(senderName))),
        textArray(messages.map(messageBody)),
      ],
    });
    return rowCount;
  }

  /** Returns those of these ids that are stored. */
  async stored(
    kind: 'api_keys' | 'variables' | 'flows' | 'messages',
    ids: readonly string[],
  ): Promise<Set<string>> {
    const { rows } = await this.#database.query<{ id: string }>({
      text: `SELECT id FROM ${kind} WHERE id = ANY($1::uuid[])`,
      values: [uuidArray(ids)],
    });
    return new Set(rows.map(({ id }) => id));
  }

  async #freeName(column: 'name' | 'endpoint_name', userId: string, name: string): Promise<string> {
    const { rows } = await this.#database.query<{ name: string }>({
      text: `SELECT ${column} AS name FROM flows WHERE user_id = $1 AND starts_with(${column}, $2)`,
      values: [userId, name],
    });
    const taken = rows.map((row) => row.name);
    return nextFreeName(name, taken, column === 'name' ? FLOW_NAME : ENDPOINT_NAME);
  }
}
