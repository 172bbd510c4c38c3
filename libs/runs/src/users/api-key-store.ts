import { randomUUID } from 'node:crypto';
import type { Transactional } from '@millrace/database';
import type { AuditedChange } from '../audit/audited-change';
import { DuplicateError } from '../duplicate-error';
import { GroupCommit } from '../group-commit';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { keyLimits } from '../limits/limits';
import type { ApiKeyRecord, Principal, Scope } from './api-key-record';
import { hashApiKey } from './hash-api-key';
import type { KeyBounds } from './key-bounds';
import { newApiKey } from './new-api-key';

const PREFIX_LENGTH = 10;
const LOOKUPS_AT_ONCE = 1_000;
/** More than the number of connections that one process can have. */
const MAXIMUM_LOOKUPS = 50_000;
const ALL_SCOPES: readonly Scope[] = ['run', 'manage', 'admin'];

const COLUMNS = `id, user_id AS "userId", name, prefix, key_hash AS "keyHash", scopes, is_active AS "isActive",
  created_at AS "createdAt", last_used_at AS "lastUsedAt", total_uses AS "totalUses", expires_at AS "expiresAt", bounds`;

export interface NewApiKey {
  readonly name: string | null;
  /** Can lie in the past: the key is then invalid from the start. */
  readonly expiresAt: Date | null;
  /** All unless given. The scope admin has no effect while the user is not an admin. */
  readonly scopes?: readonly Scope[];
  readonly bounds?: KeyBounds | null;
  /** The id of the key whose limits it gets. */
  readonly limitsOf?: string;
  /** A key chosen by the operator. Creating it again for the same user returns the existing record. */
  readonly key?: string;
}

/** The members of a key to change; absent ones stay as they are. */
export interface ApiKeyChanges {
  readonly name?: string | null;
  readonly isActive?: boolean;
  readonly expiresAt?: Date | null;
  readonly bounds?: KeyBounds | null;
}

export interface ApiKeyStoreOptions {
  readonly database: Transactional;
  /** Called for each key that this store deletes. */
  readonly onDeleted?: (key: ApiKeyRecord) => void;
}

/** Stores the API keys of all users. A key is shown once, at its creation; only its SHA-256 is stored. */
export class ApiKeyStore {
  readonly #database: Transactional;
  readonly #onDeleted: (key: ApiKeyRecord) => void;
  readonly #lookups = new GroupCommit<string, Principal | null>({
    commit: (keyHashes) => this.#resolveAll(keyHashes),
    maximumWaitMilliseconds: 0,
    maximumItems: LOOKUPS_AT_ONCE,
    maximumPending: MAXIMUM_LOOKUPS,
    maximumInFlight: 2,
  });

  constructor({ database, onDeleted = () => undefined }: ApiKeyStoreOptions) {
    this.#database = database;
    this.#onDeleted = onDeleted;
  }

  /** Returns the store whose statements join an audited change. */
  within(change: AuditedChange): ApiKeyStore {
    const onDeleted = (key: ApiKeyRecord) => change.afterCommit(() => this.#onDeleted(key));
    return new ApiKeyStore({ database: change, onDeleted });
  }

  /** Throws DuplicateError('key') when a chosen key belongs to another user. */
  async create(
    userId: string,
    { name, expiresAt, scopes = ALL_SCOPES, bounds = null, limitsOf, key = newApiKey() }: NewApiKey,
  ): Promise<{ record: ApiKeyRecord; key: string; isNew: boolean }> {
    const keyHash = hashApiKey(key);
    const inserted = await this.#database.query<ApiKeyRecord>({
      text: `INSERT INTO api_keys (id, user_id, name, prefix, key_hash, scopes, expires_at, bounds, limits)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, (SELECT limits FROM api_keys WHERE id = $9)) ON CONFLICT (key_hash) DO NOTHING RETURNING ${COLUMNS}`,
      values: [
        randomUUID(),
        userId,
        name,
        key.slice(0, PREFIX_LENGTH),
        keyHash,
        [...scopes],
        expiresAt,
        bounds && JSON.stringify(bounds),
        limitsOf ?? null,
      ],
    });
    const record = inserted.rows[0] ?? (await this.#existing(userId, keyHash));
    if (record === null) throw new DuplicateError('key');
    return { record, key, isNew: inserted.rowCount > 0 };
  }

  /** Lists the user's keys, oldest first. */
  async list(userId: string): Promise<ApiKeyRecord[]> {
    const { rows } = await this.#database.query<ApiKeyRecord>({
      text: `SELECT ${COLUMNS} FROM api_keys WHERE user_id = $1 ORDER BY created_at, id`,
      values: [userId],
    });
    return rows;
  }

  /**
   * Lets a key expire after this time by the database's clock, unless it expires earlier. Null when the user has no key
   * with this id.
   */
  async expireAfter(userId: string, id: string, seconds: number): Promise<ApiKeyRecord | null> {
    const { rows } = await this.#database.query<ApiKeyRecord>({
      text: `UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(secs => $3))
        WHERE id = $1 AND user_id = $2 RETURNING ${COLUMNS}`,
      values: [id, userId, seconds],
    });
    return rows[0] ?? null;
  }

  /** Returns a key and locks it until the end of the transaction; null when the user has no key with this id. */
  async lock(userId: string, id: string): Promise<ApiKeyRecord | null> {
    const { rows } = await this.#database.query<ApiKeyRecord>({
      text: `SELECT ${COLUMNS} FROM api_keys WHERE id = $1 AND user_id = $2 FOR UPDATE`,
      values: [id, userId],
    });
    return rows[0] ?? null;
  }

  /** Changes the given members of a key and returns it; null when the user has no key with this id. */
  async update(userId: string, id: string, changes: ApiKeyChanges): Promise<ApiKeyRecord | null> {
    const { name, isActive, expiresAt, bounds } = changes;
    const { rows } = await this.#database.query<ApiKeyRecord>({
      text: `UPDATE api_keys SET name = CASE WHEN $3 THEN $4 ELSE name END, is_active = coalesce($5, is_active),
          expires_at = CASE WHEN $6 THEN $7 ELSE expires_at END, bounds = CASE WHEN $8 THEN $9 ELSE bounds END
        WHERE id = $1 AND user_id = $2 RETURNING ${COLUMNS}`,
      values: [
        id,
        userId,
        name !== undefined,
        name ?? null,
        isActive ?? null,
        expiresAt !== undefined,
        expiresAt ?? null,
        bounds !== undefined,
        bounds ? JSON.stringify(bounds) : null,
      ],
    });
    return rows[0] ?? null;
  }

  /** Deletes a key and returns it; null when the user has no key with this id. */
  async delete(userId: string, id: string): Promise<ApiKeyRecord | null> {
    const { rows } = await this.#database.query<ApiKeyRecord>({
      text: `DELETE FROM api_keys WHERE id = $1 AND user_id = $2 RETURNING ${COLUMNS}`,
      values: [id, userId],
    });
    for (const deleted of rows) this.#onDeleted(deleted);
    return rows[0] ?? null;
  }

  /**
   * Returns the key's principal; null when the key is unknown, inactive or expired by the database's clock, or its user is
   * deactivated. Concurrent lookups share a query, so that a flood of invalid keys cannot overload the database.
   */
  resolve(keyHash: string): Promise<Principal | null> {
    return this.#lookups.add(keyHash);
  }

  async #resolveAll(keyHashes: readonly string[]): Promise<(Principal | null)[]> {
    const { rows } = await this.#database.query<Principal>({
      name: 'api-keys-resolve',
      text: `SELECT user_id AS "userId", api_keys.id AS "keyId", key_hash AS "keyHash",
          CASE WHEN users.is_admin THEN scopes ELSE array_remove(scopes, 'admin') END AS scopes,
          expires_at AS "expiresAt", bounds, ${keyLimits('api_keys')} AS limits
        FROM api_keys JOIN users ON users.id = user_id
        WHERE key_hash = ANY($1::text[]) AND is_active AND deactivated_at IS NULL
          AND (expires_at IS NULL OR expires_at > now())`,
      values: [keyHashes],
    });
    const byHash = new Map(rows.map((principal) => [principal.keyHash, principal]));
    return keyHashes.map((keyHash) => byHash.get(keyHash) ?? null);
  }

  /** Adds uses to the keys with these hashes, in one statement; ignores unknown ones. */
  async countUses(uses: ReadonlyMap<string, number>): Promise<void> {
    if (uses.size === 0) return;
    // Sorted, so that two processes that count the same keys do not deadlock.
    const hashes = [...uses.keys()].sort();
    await retryOnDeadlock(() =>
      this.#database.query({
        name: 'api-key-count-uses',
        text: `UPDATE api_keys SET total_uses = total_uses + used.uses, last_used_at = now()
          FROM unnest($1::text[], $2::int[]) AS used (key_hash, uses) WHERE api_keys.key_hash = used.key_hash`,
        values: [hashes, hashes.map((hash) => uses.get(hash) ?? 0)],
      }),
    );
  }

  /** Whether a key with this hash exists, active or not. */
  async isStored(keyHash: string): Promise<boolean> {
    const { rows } = await this.#database.query({
      text: `SELECT FROM api_keys WHERE key_hash = $1`,
      values: [keyHash],
    });
    return rows.length > 0;
  }

  /** Whether any user has a key. */
  async anyExists(): Promise<boolean> {
    const { rows } = await this.#database.query<{ exists: boolean }>({
      text: `SELECT EXISTS (SELECT FROM api_keys) AS exists`,
    });
    return rows[0]?.exists ?? false;
  }

  async #existing(userId: string, keyHash: string): Promise<ApiKeyRecord | null> {
    const { rows } = await this.#database.query<ApiKeyRecord>({
      text: `SELECT ${COLUMNS} FROM api_keys WHERE key_hash = $1 AND user_id = $2`,
      values: [keyHash, userId],
    });
    return rows[0] ?? null;
  }
}
