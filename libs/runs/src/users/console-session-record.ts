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

/** A key's principal that signed in to the web console. It expires with the session or with the key. */
export interface ConsolePrincipal extends Principal {
  readonly session: { readonly id: string; readonly tokenHash: string };
  readonly expiresAt: Date;
}
