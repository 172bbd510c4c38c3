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
  /** The issuer whose groups give the role; null for a member who was added by hand. */
  readonly issuer: string | null;
}

/** What the groups of an identity give it. */
export interface GroupRoles {
  readonly issuer: string;
  /** Stands for the hash of a key at the identity. */
  readonly keyHash: string;
  /** When the token was issued that names the groups, in seconds since the epoch. */
  readonly issuedAt: number;
  /** By the place of a project, see `projectPlace`. */
  readonly roles: ReadonlyMap<string, Role>;
}

/** A member whose role an issuer has given, changed or, with null, ended. */
export type GroupChange = Pick<MemberRecord, 'userId' | 'username' | 'projectId' | 'projectName'> & {
  readonly issuer: string;
  readonly role: Role | null;
};

const SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['run'],
  operator: ['run'],
  editor: ['run', 'manage'],
  owner: ['run', 'manage'],
};
const SELECT = `SELECT members.user_id AS "userId", users.username, members.project_id AS "projectId", projects.name AS "projectName",
    members.owner_id AS "ownerId", owners.username AS "ownerName", members.role,
    members.payloads OR members.role <> 'viewer' AS payloads, members.created_at AS "createdAt", members.issuer
  FROM project_members AS members JOIN users ON users.id = members.user_id JOIN users AS owners ON owners.id = members.owner_id
    JOIN projects ON projects.user_id = members.owner_id AND projects.id = members.project_id`;

/** Selects what has changed from the rows of `changed`. */
const CHANGES = `SELECT changed.user_id AS "userId", users.username, changed.project_id AS "projectId", projects.name AS "projectName",
    changed.issuer, changed.role
  FROM changed JOIN users ON users.id = changed.user_id
    JOIN projects ON projects.user_id = changed.owner_id AND projects.id = changed.project_id`;

/** Returns how settings name a project. Users choose the ids of their projects, so that an id alone could be that of any user. */
export function projectPlace(ownerName: string, projectId: string): string {
  return `${ownerName}/${projectId}`;
}

const ID_LENGTH = 36;
/** Returns the names of owners and the ids of projects, as parameters of a statement. */
function namesAndIds(places: readonly string[]): [string[], string[]] {
  return [
    places.map((place) => place.slice(0, -ID_LENGTH - 1)),
    places.map((place) => place.slice(-ID_LENGTH)),
  ];
}

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
   * is older: one that is made later takes no members away. The groups of an issuer do not change the role afterwards.
   */
  async put(
    { ownerId, projectId, userId }: Pick<MemberRecord, 'ownerId' | 'projectId' | 'userId'>,
    { role, payloads }: Pick<MemberRecord, 'role' | 'payloads'>,
  ): Promise<void> {
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO project_members (owner_id, project_id, user_id, role, payloads) SELECT $1, $2, $3, $4, $5
        WHERE $1 = (SELECT projects.user_id FROM projects WHERE id = $2 ORDER BY created_at, projects.user_id LIMIT 1)
        ON CONFLICT (user_id, project_id) DO UPDATE SET role = excluded.role, payloads = excluded.payloads, issuer = NULL
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

  /**
   * Makes the memberships that an issuer gives the user of an identity equal to these roles. Passes over members by hand or of another
   * issuer, projects that do not exist, and those of the user. Null, without a change, for an unknown identity, and when the groups of a
   * newer token were followed: the older one stays valid, but what it says is outdated. Must run in a transaction.
   */
  async follow({ issuer, keyHash, issuedAt, roles }: GroupRoles): Promise<GroupChange[] | null> {
    // Locks the identity, so that of two processes the second one sees what the first one has changed.
    const { rows: users } = await this.#database.query<{ readonly id: string }>({
      text: `UPDATE api_keys SET groups_iat = $2 WHERE key_hash = $1 AND (groups_iat IS NULL OR groups_iat <= $2)
        RETURNING user_id AS id`,
      values: [keyHash, issuedAt],
    });
    if (users[0] === undefined) return null;
    const { rows } = await this.#database.query<GroupChange>({
      text: `WITH found AS (
          SELECT DISTINCT ON (projects.id) projects.id AS project_id, projects.user_id AS owner_id, role
          FROM unnest($3::text[], $4::uuid[], $5::text[]) AS given (owner, id, role) JOIN users ON username = owner
            JOIN projects ON projects.user_id = users.id AND projects.id = given.id
          ORDER BY projects.id, projects.created_at, projects.user_id),
        wanted AS (SELECT * FROM found WHERE owner_id <> $1),
        ended AS (
          DELETE FROM project_members WHERE user_id = $1 AND issuer = $2
            AND project_id NOT IN (SELECT project_id FROM wanted) RETURNING *),
        stored AS (
          INSERT INTO project_members (owner_id, project_id, user_id, role, issuer)
          SELECT owner_id, project_id, $1, role, $2 FROM wanted
          ON CONFLICT (user_id, project_id) DO UPDATE SET role = excluded.role
          WHERE project_members.issuer = excluded.issuer AND project_members.role <> excluded.role RETURNING *),
        changed AS (
          SELECT user_id, owner_id, project_id, issuer, NULL AS role FROM ended
          UNION ALL SELECT user_id, owner_id, project_id, issuer, role FROM stored)
        ${CHANGES} ORDER BY changed.project_id`,
      values: [users[0].id, issuer, ...namesAndIds([...roles.keys()]), [...roles.values()]],
    });
    return rows;
  }

  /** Ends the memberships that issuers gave, apart from those of these pairs of an issuer and the place of a project. */
  async keepOnly(
    pairs: readonly { readonly issuer: string; readonly project: string }[],
  ): Promise<GroupChange[]> {
    const { rows } = await this.#database.query<GroupChange>({
      text: `WITH ended AS (
          DELETE FROM project_members WHERE issuer IS NOT NULL
            AND (issuer, owner_id, project_id) NOT IN (SELECT kept.issuer, users.id, kept.id
              FROM unnest($1::text[], $2::text[], $3::uuid[]) AS kept (issuer, owner, id) JOIN users ON username = owner) RETURNING *),
        changed AS (SELECT user_id, owner_id, project_id, issuer, NULL AS role FROM ended)
        ${CHANGES} ORDER BY changed.project_id, changed.user_id`,
      values: [pairs.map(({ issuer }) => issuer), ...namesAndIds(pairs.map(({ project }) => project))],
    });
    return rows;
  }

  /** Returns those of the places that have no project. */
  async unknown(places: readonly string[]): Promise<string[]> {
    const { rows } = await this.#database.query<{ readonly owner: string; readonly id: string }>({
      text: `SELECT DISTINCT owner, id::text FROM unnest($1::text[], $2::uuid[]) AS given (owner, id)
        WHERE NOT EXISTS (SELECT FROM projects JOIN users ON users.id = user_id WHERE username = owner AND projects.id = given.id)`,
      values: namesAndIds(places),
    });
    return rows.map(({ owner, id }) => projectPlace(owner, id));
  }

  /**
   * Returns the owner of the project, limited to it and to the role; null without the membership, when the owner is deactivated, and when
   * an issuer gave the role to an identity that is deleted or disabled.
   */
  async resolve(name: string): Promise<Principal | null> {
    const [, userId, projectId = ''] = name.split(' ');
    const { rows } = await this.#database.query<
      Pick<Principal, 'userId' | 'limits'> & { readonly role: Role; readonly payloads: boolean }
    >({
      name: 'project-members-resolve',
      text: `SELECT owner_id AS "userId", role, payloads OR role <> 'viewer' AS payloads,
          CASE WHEN limits IS NOT NULL THEN jsonb_build_object('user', limits) END AS limits
        FROM project_members JOIN users ON users.id = owner_id
        WHERE user_id = $1 AND project_id = $2 AND deactivated_at IS NULL AND (project_members.issuer IS NULL OR EXISTS (
          SELECT FROM api_keys WHERE api_keys.user_id = $1 AND api_keys.issuer = project_members.issuer AND is_active))`,
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
