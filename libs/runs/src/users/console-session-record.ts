import type { Principal } from './api-key-record';

/** The stored data of a session of the web console, without its token. */
export interface ConsoleSessionRecord {
  readonly id: string;
  readonly userId: string;
  readonly keyId: string;
  readonly tokenHash: string;
  readonly createdAt: Date;
  /** At most 30 s late. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  readonly userAgent: string | null;
  readonly clientAddress: string | null;
}

/** The check of a session at the issuer that it was opened by. */
export interface IssuerCheck {
  /** The address of the issuer. */
  readonly issuer: string;
  /** When the latest check began that the issuer confirmed; at first the sign-in. */
  readonly checkedAt: Date;
}

/** What asks an issuer about the account of a session. */
export interface IssuerToken {
  readonly kind: 'refresh' | 'access';
  readonly token: string;
}

/** A key's principal that signed in to the web console. It expires with the session or with the key. */
export interface ConsolePrincipal extends Principal {
  readonly session: {
    readonly id: string;
    readonly tokenHash: string;
    /** Null for one that is not checked at an issuer. */
    readonly check: IssuerCheck | null;
  };
  readonly expiresAt: Date;
}
