import { createHash, randomUUID } from 'node:crypto';
import type { Transactional } from '@millrace/database';
import type { Scope } from './api-key-record';

/** More than an issuer can grant: a request or session has those of its token. */
const ALL_SCOPES: readonly Scope[] = ['run', 'manage', 'admin'];

/** A person or program that an issuer of OpenID Connect knows. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface NewIdentity extends Identity {
  /** The name of its key. */
  readonly keyName: string;
  /** Names for a new user; the first that is free. */
  readonly usernames: readonly string[];
  readonly isAdmin: boolean;
  /** The name of an existing user that the identity belongs to; undefined makes a user. */
  readonly linkedTo: string | undefined;
}

/** What was made for an identity. */
export interface MadeIdentity {
  readonly userId: string;
  readonly keyId: string;
  /** The name of the user, where the user is new. */
  readonly newUsername: string | null;
}

/** Returns what stands for the hash of a key at an identity. No key has it as its hash, which is hexadecimal. */
export function identityHash({ issuer, subject }: Identity): string {
  return `identity:${createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')}`;
}

/**
 * Stores identities. An identity is a key without a secret, so that its requests, sessions, limits and entries in the audit log are like
 * those of a key.
 */
export class IdentityStore {
  readonly #database: Transactional;

  constructor({ database }: { readonly database: Transactional }) {
    this.#database = database;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): IdentityStore {
    return new IdentityStore({ database: transaction });
  }

  /**
   * Makes the key of an identity, and a user where it is not linked to one. Null when it exists, or the linked user does not, or no
   * name is free. Must run in a transaction.
   */
  async make(identity: NewIdentity): Promise<MadeIdentity | null> {
    const keyHash = identityHash(identity);
    // Two processes that see a new identity at once make one user.
    await this.#database.query({
      text: `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`,
      values: [keyHash],
    });
    const { rows } = await this.#database.query({
      text: `SELECT FROM api_keys WHERE key_hash = $1`,
      values: [keyHash],
    });
    if (rows.length > 0) return null;
    const user = await this.#userOf(identity);
    if (user === null) return null;
    const keyId = randomUUID();
    await this.#database.query({
      text: `INSERT INTO api_keys (id, user_id, name, prefix, key_hash, scopes, issuer, subject)
        VALUES ($1, $2, $3, '', $4, $5, $6, $7)`,
      values: [keyId, user.id, identity.keyName, keyHash, [...ALL_SCOPES], identity.issuer, identity.subject],
    });
    return { userId: user.id, keyId, newUsername: user.newUsername };
  }

  /** Makes a user that this issuer has made an admin, or no admin. Returns whether that is a change. */
  async setAdmin(userId: string, issuer: string, isAdmin: boolean): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `UPDATE users SET is_admin = $3, changed_at = now() WHERE id = $1 AND issuer = $2 AND is_admin <> $3`,
      values: [userId, issuer, isAdmin],
    });
    return rowCount > 0;
  }

  async #userOf({
    issuer,
    usernames,
    isAdmin,
    linkedTo,
  }: NewIdentity): Promise<{ readonly id: string; readonly newUsername: string | null } | null> {
    if (linkedTo !== undefined) {
      const { rows } = await this.#database.query<{ id: string }>({
        text: `SELECT id FROM users WHERE username = $1 FOR KEY SHARE`,
        values: [linkedTo],
      });
      return rows[0] === undefined ? null : { id: rows[0].id, newUsername: null };
    }
    for (const username of usernames) {
      const { rows } = await this.#database.query<{ id: string }>({
        text: `INSERT INTO users (id, username, is_admin, issuer) VALUES ($1, $2, $3, $4)
          ON CONFLICT (username) DO NOTHING RETURNING id`,
        values: [randomUUID(), username, isAdmin, issuer],
      });
      if (rows[0] !== undefined) return { id: rows[0].id, newUsername: username };
    }
    return null;
  }
}
