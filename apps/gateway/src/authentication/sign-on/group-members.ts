import { systemActor } from '@millrace/runs';
import type { AuditLog, GroupChange, MemberStore, Role } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import type { IssuerSettings } from './issuer-settings';

const MAXIMUM_ENTRIES = 20_000;
/** After this time the groups of a token are compared again, with what other gateways and people have changed. */
const FOLLOWED_MILLISECONDS = 60_000;
/** After a failure. */
const AGAIN_MILLISECONDS = 5_000;

/** What the groups of a token give an identity in projects. */
export interface GroupGrant {
  readonly issuer: string;
  /** Stands for the hash of a key. */
  readonly keyHash: string;
  /** By the owner and the id of a project, as in the setting; null where the issuer gives no roles in projects. */
  readonly projects: ReadonlyMap<string, Role> | null;
  /** When the issuer said so, in seconds since the epoch; 0 where it does not say. */
  readonly issuedAt: number;
}

/** The groups that were followed last, of an identity. */
interface Followed {
  readonly issuedAt: number;
  /** The roles that they gave; null when another process had followed a newer token. */
  readonly roles: string | null;
}

export interface GroupMembersOptions {
  readonly members: Pick<MemberStore, 'within' | 'unknown'>;
  readonly audit: AuditLog;
  /** Makes all processes look memberships up again, and ends their streams. */
  readonly forget: (members: readonly GroupChange[]) => Promise<void>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Lets the members of projects follow the groups of issuers. */
export class GroupMembers {
  readonly #options: GroupMembersOptions;
  /** By the identity. Limited by size, because `max` allocates memory for all entries at once. */
  readonly #followed = new LRUCache<string, Followed>({
    maxSize: MAXIMUM_ENTRIES,
    sizeCalculation: () => 1,
    ttl: FOLLOWED_MILLISECONDS,
  });
  readonly #following = new Map<string, Promise<void>>();

  constructor(options: GroupMembersOptions) {
    this.#options = options;
  }

  /**
   * Ends what issuers and projects gave that the settings have no more, and warns of projects that do not exist. Never rejects: after a
   * failure the next gateway that starts does it.
   */
  async open(issuers: readonly IssuerSettings[]): Promise<void> {
    try {
      await this.#keepConfigured(issuers);
    } catch (error) {
      this.#options.logger.warn(
        { error },
        'the members that groups gave could not be compared with the settings',
      );
    }
  }

  async #keepConfigured(issuers: readonly IssuerSettings[]): Promise<void> {
    const { members, logger } = this.#options;
    const pairs = issuers.flatMap(({ issuer, projects }) =>
      [...projects.keys()].map((project) => ({ issuer, project })),
    );
    await this.#change((store) => store.keepOnly(pairs));
    if (pairs.length === 0) return;
    for (const project of await members.unknown(pairs.map((pair) => pair.project)))
      logger.warn({ project }, 'a project of MILLRACE_ISSUERS does not exist: groups give no role in it');
  }

  /** Whether the members agree with the groups of a token, or with those of a newer one. */
  areFollowed({ keyHash, issuedAt, projects }: GroupGrant): boolean {
    if (projects === null) return true;
    const last = this.#followed.get(keyHash);
    return last !== undefined && (issuedAt <= last.issuedAt || last.roles === textOf(projects));
  }

  /**
   * Makes the user of an identity a member as its groups say, unless that was done a moment ago. Never rejects: where the database takes
   * no change, the members stay as they are, and a later token tries again.
   */
  async follow(grant: GroupGrant): Promise<void> {
    const { keyHash } = grant;
    while (!this.areFollowed(grant)) {
      let following = this.#following.get(keyHash);
      if (following === undefined) {
        following = this.#follow(grant).finally(() => this.#following.delete(keyHash));
        this.#following.set(keyHash, following);
      }
      await following;
    }
  }

  async #follow({ issuer, keyHash, issuedAt, projects }: GroupGrant): Promise<void> {
    const roles: ReadonlyMap<string, Role> = projects ?? new Map();
    try {
      const changed = await this.#change((store) => store.follow({ issuer, keyHash, issuedAt, roles }));
      this.#followed.set(keyHash, { issuedAt, roles: changed === null ? null : textOf(roles) });
    } catch (error) {
      this.#options.logger.warn(
        { error, issuer },
        'the members of projects could not follow the groups of a token',
      );
      this.#followed.set(keyHash, { issuedAt, roles: textOf(roles) }, { ttl: AGAIN_MILLISECONDS });
    }
  }

  async #change<Changed extends readonly GroupChange[] | null>(
    work: (store: MemberStore) => Promise<Changed>,
  ): Promise<Changed> {
    const { members, audit, forget } = this.#options;
    const changed = await audit.change(systemActor, async (change) => {
      const found = await work(members.within(change));
      for (const { userId, username, projectId, projectName, role, issuer } of found ?? [])
        change.note({
          action: role === null ? 'project.unshared' : 'project.shared',
          objectId: projectId,
          objectName: projectName,
          detail: {
            user_id: userId,
            username,
            ...(role === null ? {} : { role, payloads: role !== 'viewer' }),
            issuer,
          },
        });
      return found;
    });
    await forget(changed ?? []);
    return changed;
  }
}

function textOf(roles: ReadonlyMap<string, string>): string {
  return JSON.stringify([...roles]);
}
