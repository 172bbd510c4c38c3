import type { Transactional } from '@millrace/database';
import { DuplicateError } from '../duplicate-error';
import type { Principal, Role, Scope } from '../users/api-key-record';

/** A member of a project of another user. */
export interface MemberRecord {
  readonly userId: string;
  readonly username: string;
  readonly projectId: string;
  readonly projectName: string;
  /** The user whose project it is. */
  readonly ownerId: string;
  readonly ownerName: string;
  readonly role: Role;
  /** Whether the member sees inputs, outputs and messages; every role above viewer does. */
  readonly payloads: boolean;
  readonly createdAt: Date;
}

const SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['run'],
  operator: ['run'],
  editor: ['run', 'manage'],
  owner: ['run', 'manage'],
};
const SELECT = `SELECT members.user_id AS "userId", users.username, members.project_id AS "projectId", projects.name AS "projectName",
    members.owner_id AS "ownerId", owners.username AS "ownerName", members.role,
    members.payloads OR members.role <> 'viewer' AS payloads, members.created_at AS "createdAt"
  FROM project_members AS members JOIN users ON users.id = members.user_id JOIN users AS owners ON owners.id = members.owner_id
    JOIN projects ON projects.user_id = members.owner_id AND projects.id = members.project_id`;

/** Stands for the hash of a key, which never looks so. */
const NAME = 'member';

/** Returns the name of a membership, which stands for the hash of a key. */
export function memberName(userId: string, projectId: string): string {
  return [NAME, userId, projectId].join(' ');
}

/** Whether the hash of a key is the name of a membership. */
export function isMemberName(keyHash: string): boolean {
  return keyHash.startsWith(`${NAME} `);
}

/** Stores who may use the projects of other users. */
export class MemberStore {
  readonly #database: Transactional;

  constructor({ database }: { readonly database: Transactional }) {
    this.#database = database;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): MemberStore {
    return new MemberStore({ database: transaction });
  }

  /** The members of a project, or with null of all projects of a user, by name. */
  async list(ownerId: string, projectId: string | null): Promise<MemberRecord[]> {
    const { rows } = await this.#database.query<MemberRecord>({
      text: `${SELECT} WHERE members.owner_id = $1 AND ($2::uuid IS NULL OR members.project_id = $2)
        ORDER BY users.username, members.project_id`,
      values: [ownerId, projectId],
    });
    return rows;
  }

  /** The projects of other users that a user is a member of, by name. */
  async ofUser(userId: string): Promise<MemberRecord[]> {
    const { rows } = await this.#database.query<MemberRecord>({
      text: `${SELECT} WHERE members.user_id = $1 ORDER BY projects.name, members.project_id`,
      values: [userId],
    });
    return rows;
  }

  /**
   * Makes a user a member of a project, or changes the role. Throws DuplicateError where a project of another user has the id and
   * is older: one that is made later takes no members away.
   */
  async put(
    { ownerId, projectId, userId }: Pick<MemberRecord, 'ownerId' | 'projectId' | 'userId'>,
    { role, payloads }: Pick<MemberRecord, 'role' | 'payloads'>,
  ): Promise<void> {
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO project_members (owner_id, project_id, user_id, role, payloads) SELECT $1, $2, $3, $4, $5
        WHERE $1 = (SELECT projects.user_id FROM projects WHERE id = $2 ORDER BY created_at, projects.user_id LIMIT 1)
        ON CONFLICT (user_id, project_id) DO UPDATE SET role = excluded.role, payloads = excluded.payloads
        WHERE project_members.owner_id = excluded.owner_id`,
      values: [ownerId, projectId, userId, role, payloads],
    });
    if (rowCount === 0) throw new DuplicateError('project_id');
  }

  /** False when the user is no member of the project. */
  async delete(ownerId: string, projectId: string, userId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: `DELETE FROM project_members WHERE owner_id = $1 AND project_id = $2 AND user_id = $3`,
      values: [ownerId, projectId, userId],
    });
    return rowCount > 0;
  }

  /** Returns the owner of the project, limited to it and to the role; null without the membership, or when the owner is deactivated. */
  async resolve(name: string): Promise<Principal | null> {
    const [, userId, projectId = ''] = name.split(' ');
    const { rows } = await this.#database.query<
      Pick<Principal, 'userId' | 'limits'> & { readonly role: Role; readonly payloads: boolean }
    >({
      name: 'project-members-resolve',
      text: `SELECT owner_id AS "userId", role, payloads OR role <> 'viewer' AS payloads,
          CASE WHEN limits IS NOT NULL THEN jsonb_build_object('user', limits) END AS limits
        FROM project_members JOIN users ON users.id = owner_id
        WHERE user_id = $1 AND project_id = $2 AND deactivated_at IS NULL`,
      values: [userId, projectId],
    });
    const [found] = rows;
    if (found === undefined) return null;
    const { userId: ownerId, limits = null, role, payloads } = found;
    return {
      userId: ownerId,
      keyId: '',
      keyHash: name,
      scopes: SCOPES[role],
      expiresAt: null,
      bounds: { projects: [projectId] },
      limits,
      member: { userId: userId ?? '', name, role, payloads },
    };
  }
}
