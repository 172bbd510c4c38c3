import type { ScopedLimits } from '../limits/limits';
import type { KeyBounds } from './key-bounds';

/** Permissions of a key: run flows; manage the flows, keys and variables of its user; manage users. */
export type Scope = 'run' | 'manage' | 'admin';

/** The stored data of a key, without the key itself. */
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
  /** Null where nothing narrows the key. */
  readonly bounds: KeyBounds | null;
}

/** What a member of a project of another user may do there. Each has the rights of those before it. */
export type Role = 'viewer' | 'operator' | 'editor' | 'owner';

/** A member of a project, who acts as its owner. */
export interface Member {
  readonly userId: string;
  /** Stands for the hash of a key: with the membership, its streams end. */
  readonly name: string;
  readonly role: Role;
  /** Whether the member sees inputs, outputs and messages. */
  readonly payloads: boolean;
}

/** The user and permissions that a valid key authenticates. */
export interface Principal {
  readonly userId: string;
  readonly keyId: string;
  readonly keyHash: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly bounds: KeyBounds | null;
  /** The limits of the key and its user; null or absent without any. */
  readonly limits?: ScopedLimits | null;
  /** Set where a session of the web console stands for the key. */
  readonly session?: { readonly id: string; readonly tokenHash: string };
  /** Set where the caller is a member of the one project in `bounds`, and `userId` its owner. */
  readonly member?: Member;
}

/** Returns the user who acts: the member where it is one, else the user of the key. */
export function actingUser({ userId, member }: Pick<Principal, 'userId' | 'member'>): string {
  return member?.userId ?? userId;
}
