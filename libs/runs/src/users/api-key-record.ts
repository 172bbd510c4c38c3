/** What a key may do: run flows; manage flows, keys and variables of its user; manage users. */
export type Scope = 'run' | 'manage' | 'admin';

/** A key as it is kept; the key itself is not. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly userId: string;
  readonly name: string | null;
  /** The key's first ten characters. */
  readonly prefix: string;
  readonly keyHash: string;
  readonly scopes: readonly Scope[];
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly totalUses: number;
  readonly expiresAt: Date | null;
}

/** Who a valid key speaks for. */
export interface Principal {
  readonly userId: string;
  readonly keyId: string;
  readonly keyHash: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}
