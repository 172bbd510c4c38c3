import { randomUUID } from 'node:crypto';
import type { Transactional } from '@millrace/database';
import { keyLimits } from '../limits/limits';
import type { Encryption } from '../encryption/encryption';
import { GroupCommit } from '../group-commit';
import type { Principal, Scope } from './api-key-record';
import type { ConsolePrincipal, ConsoleSessionRecord, IssuerToken } from './console-session-record';

const LOOKUPS_AT_ONCE = 1_000;
/** More than the number of connections that one process can have. */
const MAXIMUM_LOOKUPS = 50_000;
const MAXIMUM_USER_AGENT_LENGTH = 500;

const COLUMNS = `id, user_id AS "userId", key_id AS "keyId", token_hash AS "tokenHash", created_at AS "createdAt",
  last_used_at AS "lastUsedAt", expires_at AS "expiresAt", user_agent AS "userAgent",
  client_address AS "clientAddress"`;

/** The sessions that an issuer ends: of an identity, of a session there, or of that session of the identity. */
export interface IssuerSessions {
  readonly issuer: string;
  /** Stands for the hash of a key at the identity. */
  readonly keyHash: string | undefined;
  readonly issuerSession: string | undefined;
}

export interface NewConsoleSession {
  readonly tokenHash: string;
  readonly principal: Pick<Principal, 'userId' | 'keyId'>;
  readonly lifetimeSeconds: number;
  readonly userAgent: string | null;
  readonly clientAddress: string | null;
  /** What an issuer has granted; those of the key unless given. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The id of the session at the issuer. */
  readonly issuerSession?: string | undefined;
  /** By which the session is checked at its issuer; it is not checked without. */
  readonly issuerToken?: IssuerToken | undefined;
  /** The least recently used sessions of the user beyond this number end. */
  readonly maximumSessions: number;
}

/** A check of a session that this caller alone makes. */
export interface BegunCheck {
  /** Identifies the check among those of the session. */
  readonly claim: string;
  readonly issuerToken: IssuerToken;
  /** Stands for the hash of a key at the identity. */
  readonly keyHash: string;
  /** What the issuer has granted. */
  readonly scopes: readonly Scope[];
}

/** After this time the process that began a check is taken for lost. Longer than all requests of a check. */
const CHECK_SECONDS = 30;

/** Stores the sessions of the web console. Only the SHA-256 of a session's token is stored. */
export class ConsoleSessionStore {
  readonly #database: Transactional;
  readonly #encryption: Encryption;
  readonly #lookups = new GroupCommit<string, ConsolePrincipal | null>({
    commit: (tokenHashes) => this.#resolveAll(tokenHashes),
    maximumWaitMilliseconds: 0,
    maximumItems: LOOKUPS_AT_ONCE,
    maximumPending: MAXIMUM_LOOKUPS,
    maximumInFlight: 2,
  });

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
  within(transaction: Transactional): ConsoleSessionStore {
    return new ConsoleSessionStore({ database: transaction, encryption: this.#encryption });
  }

  /** Creates a session. Deletes expired sessions of the user and those beyond the maximum, and returns the latter. */
  async create({
    tokenHash,
    principal,
    lifetimeSeconds,
    userAgent,
    clientAddress,
    scopes,
    issuerSession,
    issuerToken,
    maximumSessions,
  }: NewConsoleSession): Promise<{
    readonly session: ConsoleSessionRecord;
    readonly ended: readonly ConsoleSessionRecord[];
  }> {
    const { userId, keyId } = principal;
    const ended = await this.#deleteBeyond(userId, maximumSessions - 1);
    const { rows } = await this.#database.query<ConsoleSessionRecord>({
      text: `INSERT INTO console_sessions
          (id, token_hash, user_id, key_id, expires_at, user_agent, client_address, scopes, issuer_session,
          encrypted_issuer_token, checked_at)
        VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), $6, $7, $8, $9, $10::text,
          CASE WHEN $10::text IS NULL THEN NULL ELSE now() END)
        RETURNING ${COLUMNS}`,
      values: [
        randomUUID(),
        tokenHash,
        userId,
        keyId,
        lifetimeSeconds,
        userAgent?.slice(0, MAXIMUM_USER_AGENT_LENGTH) ?? null,
        clientAddress,
        scopes === undefined ? null : [...scopes],
        issuerSession ?? null,
        issuerToken === undefined ? null : this.#sealed(issuerToken),
      ],
    });
    const [session] = rows;
    if (session === undefined) throw new Error('the database returned no row for a new session');
    return { session, ended };
  }

  /** Lists the sessions that have not expired, newest first; of all users with null. */
  async list(userId: string | null, limit: number): Promise<ConsoleSessionRecord[]> {
    const { rows } = await this.#database.query<ConsoleSessionRecord>({
      text: `SELECT ${COLUMNS} FROM console_sessions
        WHERE ($1::uuid IS NULL OR user_id = $1) AND expires_at > now() ORDER BY created_at DESC, id LIMIT $2`,
      values: [userId, limit],
    });
    return rows;
  }

  /** Deletes a session and returns it; null when there is none with this id, or none of this user. */
  async delete(id: string, userId: string | null): Promise<ConsoleSessionRecord | null> {
    const { rows } = await this.#database.query<ConsoleSessionRecord>({
      text: `DELETE FROM console_sessions WHERE id = $1 AND ($2::uuid IS NULL OR user_id = $2) RETURNING ${COLUMNS}`,
      values: [id, userId],
    });
    return rows[0] ?? null;
  }

  /** Deletes sessions that their issuer has ended, and returns them. */
  async endAtIssuer({ issuer, keyHash, issuerSession }: IssuerSessions): Promise<ConsoleSessionRecord[]> {
    const { rows } = await this.#database.query<ConsoleSessionRecord>({
      text: `DELETE FROM console_sessions WHERE ($3::text IS NULL OR issuer_session = $3) AND key_id IN (
          SELECT id FROM api_keys WHERE issuer = $1 AND ($2::text IS NULL OR key_hash = $2))
        RETURNING ${COLUMNS}`,
      values: [issuer, keyHash ?? null, issuerSession ?? null],
    });
    return rows;
  }

  /**
   * Begins the check of a session; null when another process is at it, or the latest check began after this time. Rejects with EncryptionError when
   * no key opens its token.
   */
  async beginCheck(id: string, checkedBefore: Date): Promise<BegunCheck | null> {
    const { rows } = await this.#database.query<
      Omit<BegunCheck, 'issuerToken' | 'scopes'> & {
        readonly sealed: string;
        readonly scopes: Scope[] | null;
      }
    >({
      text: `UPDATE console_sessions AS session SET check_began_at = now() FROM api_keys AS key
        WHERE session.id = $1 AND key.id = key_id AND checked_at <= $2 AND encrypted_issuer_token IS NOT NULL
          AND (check_began_at IS NULL OR check_began_at < now() - make_interval(secs => ${CHECK_SECONDS}))
        RETURNING check_began_at::text AS claim, encrypted_issuer_token AS sealed, key_hash AS "keyHash", session.scopes`,
      values: [id, checkedBefore],
    });
    const [row] = rows;
    if (row === undefined) return null;
    const { claim, keyHash, scopes, sealed } = row;
    try {
      const issuerToken = JSON.parse(this.#encryption.decrypt(sealed)) as IssuerToken;
      return { claim, issuerToken, keyHash, scopes: scopes ?? [] };
    } catch (error) {
      await this.abandonCheck(id, claim);
      throw error;
    }
  }

  /** Ends a check that the issuer has confirmed; it asks with this token the next time, or else with the one it has. */
  async confirmCheck(id: string, next: IssuerToken | undefined): Promise<void> {
    await this.#database.query({
      text: `UPDATE console_sessions SET checked_at = coalesce(check_began_at, now()), check_began_at = NULL,
        encrypted_issuer_token = coalesce($2, encrypted_issuer_token) WHERE id = $1`,
      values: [id, next === undefined ? null : this.#sealed(next)],
    });
  }

  /** Ends a check that the issuer has not answered, and none that another process has begun since. */
  async abandonCheck(id: string, claim: string): Promise<void> {
    await this.#database.query({
      text: `UPDATE console_sessions SET check_began_at = NULL
        WHERE id = $1 AND check_began_at = $2::text::timestamptz`,
      values: [id, claim],
    });
  }

  #sealed(token: IssuerToken): string {
    return this.#encryption.encrypt(JSON.stringify(token));
  }

  /**
   * Returns the principal of the token with this hash; null when the session is unknown or expired by the database's
   * clock, or its key is inactive or expired. Concurrent lookups share a query.
   */
  resolve(tokenHash: string): Promise<ConsolePrincipal | null> {
    return this.#lookups.add(tokenHash);
  }

  async #deleteBeyond(userId: string, maximum: number): Promise<ConsoleSessionRecord[]> {
    const { rows } = await this.#database.query<ConsoleSessionRecord & { readonly expired: boolean }>({
      text: `DELETE FROM console_sessions WHERE user_id = $1 AND (expires_at <= now() OR id IN (
          SELECT id FROM console_sessions WHERE user_id = $1 AND expires_at > now()
          ORDER BY last_used_at DESC, id OFFSET $2))
        RETURNING ${COLUMNS}, expires_at <= now() AS expired`,
      values: [userId, maximum],
    });
    return rows.filter(({ expired }) => !expired);
  }

  async #resolveAll(tokenHashes: readonly string[]): Promise<(ConsolePrincipal | null)[]> {
    const { rows } = await this.#database.query<
      Omit<ConsolePrincipal, 'session'> & {
        readonly sessionId: string;
        readonly tokenHash: string;
        readonly issuer: string | null;
        readonly checkedAt: Date | null;
      }
    >({
      name: 'console-sessions-resolve',
      text: `WITH used AS (
          UPDATE console_sessions SET last_used_at = now() WHERE id IN (
            SELECT id FROM console_sessions
            WHERE token_hash = ANY($1::text[]) AND last_used_at < now() - interval '30 seconds'
            FOR UPDATE SKIP LOCKED))
        SELECT session.id AS "sessionId", token_hash AS "tokenHash", session.user_id AS "userId",
          key.id AS "keyId", key_hash AS "keyHash", key.issuer, checked_at AS "checkedAt",
          ARRAY(SELECT one FROM unnest(key.scopes) AS one WHERE (users.is_admin OR one <> 'admin')
            AND (session.scopes IS NULL OR one = ANY(session.scopes))) AS scopes,
          least(session.expires_at, key.expires_at) AS "expiresAt", bounds, ${keyLimits('key')} AS limits
        FROM console_sessions AS session JOIN api_keys AS key ON key.id = key_id JOIN users ON users.id = key.user_id
        WHERE token_hash = ANY($1::text[]) AND session.expires_at > now()
          AND is_active AND deactivated_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > now())`,
      values: [tokenHashes],
    });
    const byHash = new Map(
      rows.map(({ sessionId: id, tokenHash, issuer, checkedAt, ...principal }) => {
        const check = issuer === null || checkedAt === null ? null : { issuer, checkedAt };
        return [tokenHash, { ...principal, session: { id, tokenHash, check } }];
      }),
    );
    return tokenHashes.map((tokenHash) => byHash.get(tokenHash) ?? null);
  }
}
