import { isSafeUrl, Members, text } from '@millrace/service';
import type { Role as ProjectRole, Scope } from '@millrace/runs';
import { normalizeUuid } from '../../http/validation/uuid-text';

/** What a role may do. */
export const roles = {
  run: ['run'],
  manage: ['run', 'manage'],
  admin: ['run', 'manage', 'admin'],
} as const satisfies Record<string, readonly Scope[]>;
export type Role = keyof typeof roles;
/** The roles in a project, the highest one first. */
export const projectRoles = [
  'owner',
  'editor',
  'operator',
  'viewer',
] as const satisfies readonly ProjectRole[];

/** An issuer of OpenID Connect whose tokens are accepted. */
export interface IssuerSettings {
  /** In paths and in names of users. */
  readonly name: string;
  readonly issuer: string;
  /** The audiences of bearer tokens. */
  readonly audience: readonly string[];
  /** The client by which the web console signs in; undefined where it does not. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The public client of `millrace login`. */
  readonly cliClientId: string | undefined;
  /** What the console and the command line ask for. */
  readonly scope: string;
  readonly groupsClaim: string;
  /** The claim that names the end user of a run; undefined where its tokens name none. */
  readonly endUserClaim: string | undefined;
  /** The role of each group; that of `*` is everyone's. */
  readonly roles: ReadonlyMap<string, Role>;
  /** By the name of its owner, a slash and the id of a project, the role of each group there. */
  readonly projects: ReadonlyMap<string, ReadonlyMap<string, ProjectRole>>;
  /** Existing users by the subjects that they are linked to. */
  readonly users: ReadonlyMap<string, string>;
}

const MAXIMUM_ISSUERS = 20;
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** The issuers whose users sign in. */
export const issuersSetting = text({
  unusual: true,
  optional: true,
  secret: true,
  description:
    'Issuers of OpenID Connect whose users sign in, and whose tokens the API takes, as [JSON](sign-on.md).',
  check: (value) => void parseIssuers(value),
});

/** Throws an Error that ends a sentence about the setting. */
export function parseIssuers(json: string): readonly IssuerSettings[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // Without the text of the error, which can contain a secret.
    throw new Error('must be JSON');
  }
  if (!Array.isArray(value) || value.length > MAXIMUM_ISSUERS)
    throw new Error(`must be a list of at most ${MAXIMUM_ISSUERS} issuers`);
  const issuers = value.map((one: unknown, index) => readIssuer(one, `issuer ${index + 1}`));
  for (const part of ['name', 'issuer'] as const)
    if (new Set(issuers.map((one) => one[part])).size < issuers.length)
      throw new Error(`has two issuers with one "${part}"`);
  return issuers;
}

function readIssuer(value: unknown, where: string): IssuerSettings {
  const members = new Members(value, where);
  const settings = {
    name: members.text('name'),
    issuer: members.text('issuer'),
    audience: members.texts('audience'),
    clientId: members.optional('client_id'),
    clientSecret: members.optional('client_secret'),
    cliClientId: members.optional('cli_client_id'),
    scope: members.optional('scope') ?? 'openid profile email',
    groupsClaim: members.optional('groups_claim') ?? 'groups',
    endUserClaim: members.optional('end_user_claim'),
    roles: members.map('roles') as ReadonlyMap<string, Role>,
    projects: readProjects(members.take('projects') ?? {}, `${where}, "projects"`),
    users: members.map('users'),
  };
  members.refuseOthers();
  if (!NAME.test(settings.name)) throw members.fault('"name" must match [a-z0-9-], at most 32 characters');
  if (!isSafeUrl(settings.issuer))
    throw members.fault('"issuer" must be an https:// URL, or http:// of the own host');
  if (settings.roles.size === 0 && settings.endUserClaim === undefined)
    throw members.fault('"roles" must give a group, or "*", a role');
  for (const role of settings.roles.values())
    if (!Object.hasOwn(roles, role)) throw members.fault('a role must be run, manage or admin');
  if (settings.projects.size > 0) {
    if (settings.roles.size === 0) throw members.fault('"projects" needs "roles", by which members sign in');
    // The groups of two subjects would give and end the roles of one user by turns.
    if (new Set(settings.users.values()).size < settings.users.size)
      throw members.fault('"users" must link a user to one subject where "projects" is set');
  }
  if (!settings.scope.split(' ').includes('openid')) throw members.fault('"scope" must contain openid');
  const { audience, clientId, cliClientId } = settings;
  if (audience.length === 0 && clientId === undefined && cliClientId === undefined)
    throw members.fault('"audience", "client_id" or "cli_client_id" must be set');
  return settings;
}

function readProjects(value: unknown, where: string): IssuerSettings['projects'] {
  const members = new Members(value, where);
  const read = (place: string) => {
    const id = place.slice(place.lastIndexOf('/') + 1);
    if (place.length === id.length || place.startsWith('/') || normalizeUuid(id) !== id)
      throw members.fault(
        `"${place}" must be the name of a user, a slash and the id of a project, in lower case`,
      );
    const byGroup = members.map(place);
    for (const role of byGroup.values())
      if (!projectRoles.some((one) => one === role))
        throw members.fault('a role must be viewer, operator, editor or owner');
    return [place, byGroup as ReadonlyMap<string, ProjectRole>] as const;
  };
  return new Map(Object.keys(value as object).map(read));
}
