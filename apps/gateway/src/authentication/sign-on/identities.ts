import { createHash } from 'node:crypto';
import type { PrincipalCache } from '@millrace/access';
import { unstorableCharacter } from '@millrace/http';
import { identityHash, systemActor } from '@millrace/runs';
import type { AuditLog, IdentityStore, Principal, Role, Scope } from '@millrace/runs';
import type { GroupGrant, GroupMembers } from './group-members';
import { projectRoles, roles } from './issuer-settings';
import type { IssuerSettings } from './issuer-settings';
import type { Claims } from './issuer';

const MAXIMUM_NAME_LENGTH = 200;

/** What an issuer says of a subject. */
export interface Grant extends GroupGrant {
  readonly subject: string;
  /** Empty where none of the groups has a role. */
  readonly scopes: readonly Scope[];
  readonly usernames: readonly string[];
}

/** Reads a verified token by the settings of its issuer. */
export function grantOf(settings: IssuerSettings, claims: Claims): Grant {
  const { issuer, name } = settings;
  const subject = claims.sub ?? '';
  const called = [claims['preferred_username'], claims['email'], subject].find(isName);
  const username = called ?? 'user';
  const groups = groupsOf(settings, claims);
  const scopes = scopesOf(settings, groups);
  // Who has no role here has none in a project.
  const projects = projectsOf(settings, scopes.length === 0 ? [] : groups);
  return {
    issuer,
    subject,
    keyHash: identityHash({ issuer, subject }),
    scopes,
    projects: settings.projects.size === 0 ? null : projects,
    issuedAt: claims.iat ?? 0,
    // Never the name of a user alone: an issuer does not choose the user that a name stands for here.
    usernames: [`${username} (${name})`, `${username} (${name} ${shortHash(subject)})`],
  };
}

export interface IdentitiesOptions {
  readonly identities: IdentityStore;
  readonly audit: AuditLog;
  readonly principals: PrincipalCache;
  readonly members: GroupMembers;
}

/** Finds and makes the users that issuers know. */
export class Identities {
  readonly #options: IdentitiesOptions;
  /** By the identity: concurrent requests of a new one share a transaction. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(options: IdentitiesOptions) {
    this.#options = options;
  }

  /** The principal of an identity; null where `admit` has to ask the database. */
  known(grant: Grant): Principal | null {
    if (!this.#options.members.areFollowed(grant)) return null;
    const found = this.#options.principals.find(grant.keyHash);
    return found instanceof Promise ? null : found;
  }

  /**
   * Resolves to the principal of an identity, with a new user at its first use, as a member of the projects of its groups. Null when it, or its
   * user, is disabled, when it is linked to a user that does not exist, and when none of its groups has a role.
   */
  async admit(settings: IssuerSettings, grant: Grant): Promise<Principal | null> {
    const isGranted = grant.scopes.length > 0;
    const principal = isGranted ? await this.#find(settings, grant) : null;
    // Who has lost every role has lost the projects, too.
    if (principal !== null || !isGranted) await this.#options.members.follow(grant);
    return principal;
  }

  async #find(settings: IssuerSettings, grant: Grant): Promise<Principal | null> {
    const { principals } = this.#options;
    const known = await principals.find(grant.keyHash);
    if (known !== null) return known;
    let making = this.#making.get(grant.keyHash);
    if (making === undefined) {
      making = this.#make(settings, grant).finally(() => this.#making.delete(grant.keyHash));
      this.#making.set(grant.keyHash, making);
    }
    await making;
    principals.invalidate(grant.keyHash);
    return principals.find(grant.keyHash);
  }

  #make(settings: IssuerSettings, { subject, scopes, usernames }: Grant): Promise<void> {
    const { identities, audit } = this.#options;
    const { issuer, name, users } = settings;
    return audit.change(systemActor, async (change) => {
      const isAdmin = scopes.includes('admin');
      const keyName = `sign-on (${name})`;
      const linkedTo = users.get(subject);
      const made = await identities
        .within(change)
        .make({ issuer, subject, keyName, usernames, isAdmin, linkedTo });
      if (made === null) return;
      const { userId, keyId, newUsername } = made;
      if (newUsername !== null)
        change.note({
          action: 'user.created',
          objectId: userId,
          objectName: newUsername,
          detail: { admin: isAdmin, issuer },
        });
      const detail = { user_id: userId, issuer };
      change.note({ action: 'key.created', objectId: keyId, objectName: keyName, detail });
    });
  }
}

/** The groups of a token, and the one of everyone. */
function groupsOf({ groupsClaim }: IssuerSettings, claims: Claims): readonly unknown[] {
  const value = claimAt(claims, groupsClaim);
  return ['*', ...(Array.isArray(value) ? (value as readonly unknown[]) : [value])];
}

function scopesOf({ roles: granted }: IssuerSettings, groups: readonly unknown[]): readonly Scope[] {
  const highest = highestOf(['admin', 'manage', 'run'] as const, granted, groups);
  return highest === undefined ? [] : roles[highest];
}

function projectsOf({ projects }: IssuerSettings, groups: readonly unknown[]): ReadonlyMap<string, Role> {
  return new Map(
    [...projects].flatMap(([id, granted]) => {
      const role = highestOf(projectRoles, granted, groups);
      return role === undefined ? [] : [[id, role] as const];
    }),
  );
}

/** Of roles in their order, highest first, the first one that a group has. */
function highestOf<One>(
  order: readonly One[],
  granted: ReadonlyMap<string, One>,
  groups: readonly unknown[],
): One | undefined {
  const found = new Set(groups.map((group) => granted.get(group as string)));
  return order.find((role) => found.has(role));
}

/** Returns a claim by its name, or by a path of names with dots. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      claims,
    );
}

function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '') return false;
  return value.length <= MAXIMUM_NAME_LENGTH && unstorableCharacter(value) === null;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
