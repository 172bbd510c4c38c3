import type { PrincipalCache } from '@millrace/access';
import { text as textSchema, namedObject } from '@millrace/messages';
import { createdUserSchema, userListSchema, userSchema } from './user-schemas';
import { userBodySchema, userChangesSchema } from './user-body';
import type { UserBody, UserChangesBody } from './user-body';
import { HttpError } from '@millrace/http';
import type {
  ApiKeyStore,
  AuditLog,
  FlowStore,
  MemberStore,
  UserChanges,
  UserRecord,
  UserStore,
} from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import {
  keyCreated,
  keyDeleted,
  userCreated,
  userDeleted,
  userUpdated,
} from '../../authentication/audit-events';
import { requireAdmin } from '../../authentication/require-admin';
import { refuseDuplicate } from '../../http/answers/refuse-duplicate';
import { optionalFlag } from '../../http/validation/flag';
import { requireBody } from '../../http/validation/require-body';
import { forAdmins, forManagement, forReading } from '../../http/routing/access';
import { jsonRoute, keyedRoute, pathParameter, requestIdOf } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { integerParameter } from '../../http/validation/query';
import { collectValidationErrors, createValidator } from '../../http/validation/validator';
import { json, jsonBody, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ControlChannel } from '../../runs/control-channel';
import type { FlowService } from '../../flow-changes/flow-service';
import { endMemberships, forgetMembers } from '../projects/member-routes';

const deletionSchema = namedObject('UserDeletion', { detail: textSchema, request_id: textSchema });

export interface UserRoutesOptions {
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  readonly members: Pick<MemberStore, 'list' | 'within'>;
  readonly audit: AuditLog;
  readonly flows: FlowStore;
  readonly flowService: FlowService;
  readonly principals: PrincipalCache;
  readonly sessions: PrincipalCache;
  readonly control: ControlChannel;
}

const FLOWS_AT_ONCE = 20;
const DEFAULT_PAGE_SIZE = 10;
const MAXIMUM_PAGE_SIZE = 200;
const LIST_DENIED = "The user doesn't have enough privileges";
/** What a user has who never chose. */
const NO_OPTINS = { github_starred: false, dialog_dismissed: false, discord_clicked: false };
const check = createValidator(userBodySchema);
const checkChanges = createValidator(userChangesSchema);
const operations = {
  whoAmI: {
    summary: 'Read the user of the API key',
    answers: { 200: json('The user', userSchema) },
    errors: ['not_found'],
  },
  create: {
    summary: 'Create a user with a first API key',
    body: jsonBody(userBodySchema),
    answers: { 201: json('The user and the key, which is shown only once', createdUserSchema) },
    errors: ['duplicate'],
  },
  read: {
    summary: 'Read a user: the caller, or for admins any',
    answers: { 200: json('The user', userSchema) },
    errors: ['not_found', 'permission_denied'],
  },
  update: {
    summary: 'Change a user: the caller, or for admins any',
    body: jsonBody(userChangesSchema),
    answers: { 200: json('The changed user', userSchema) },
    errors: ['duplicate', 'invalid_value', 'not_found', 'permission_denied'],
  },
  remove: {
    summary: 'Delete a user with everything that they have, for admins',
    answers: { 202: json('The user was deleted', deletionSchema) },
    errors: ['invalid_value', 'not_found', 'permission_denied'],
  },
  list: {
    summary: 'List users, by name',
    query: {
      skip: queryParameter('integer', 'How many users of the list to leave out'),
      limit: queryParameter('integer', `How many users at most, ${DEFAULT_PAGE_SIZE} unless given`),
      search: queryParameter('string', 'Part of the name, in any case'),
      username: queryParameter('string', 'The whole name'),
    },
    answers: { 200: json('The users', userListSchema) },
  },
} as const satisfies Record<string, Operation>;

/** Routes that read and change the calling user and, for admins, list, create, read, change and delete users. */
export function userRoutes(options: UserRoutesOptions): readonly Route[] {
  const { users, apiKeys, audit } = options;
  const whoAmI = async ({ response, principal }: KeyedCall) => {
    sendJson(response, 200, userView(known(await users.find(principal.userId))));
  };
  const list = async (call: KeyedCall) => {
    const { query } = call;
    await requireAdmin(users, call, LIST_DENIED);
    const [skip, limit] = collectValidationErrors(
      () => integerParameter(query, 'skip', { absent: 0, minimum: 0, maximum: 1_000_000_000 }),
      () =>
        integerParameter(query, 'limit', {
          absent: DEFAULT_PAGE_SIZE,
          minimum: 1,
          maximum: MAXIMUM_PAGE_SIZE,
          refusesMore: true,
        }),
    );
    const filter = { search: query.get('search') ?? undefined, username: query.get('username') ?? undefined };
    const { users: found, total } = await users.page(filter, { skip, limit });
    sendJson(call.response, 200, {
      total_count: total,
      users: found.map(userView),
      deletion_requests: {},
    });
  };
  const read = async (call: KeyedCall) => {
    const id = userIdOf(call);
    if (id !== call.principal.userId) await requireScopeOfAdmin(users, call);
    sendJson(call.response, 200, userView(known(await users.find(id))));
  };
  const update = async (call: KeyedCall) => {
    const [id] = collectValidationErrors(
      () => userIdOf(call),
      () => checkChanges(requireBody(call.body)),
    );
    sendJson(call.response, 200, userView(await updateUser(options, call, id)));
  };
  const create = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    check(requireBody(call.body));
    const { username, is_superuser: isAdmin = false } = call.body as UserBody;
    const scopes = isAdmin ? (['run', 'manage', 'admin'] as const) : (['run', 'manage'] as const);
    // A user can only log in with a key, so the first key is created with the user.
    const creating = audit.change(actorOf(call), async (change) => {
      const user = await users.within(change).create({ username, isAdmin });
      change.note(userCreated(user));
      const first = { name: 'first', expiresAt: null, scopes, bounds: call.principal.bounds };
      const { record, key } = await apiKeys.within(change).create(user.id, first);
      change.note(keyCreated(record));
      return { user, key };
    });
    const { user, key } = await refuseDuplicate('This username is unavailable.', creating);
    call.response.setHeader('cache-control', 'no-store');
    sendJson(call.response, 201, { ...userView(user), api_key: key });
  };
  const remove = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const id = userIdOf(call);
    if (id === call.principal.userId)
      throw new HttpError('invalid_value', "You can't delete your own user account");
    known(await users.find(id));
    await removeUser(options, call, id);
    sendJson(call.response, 202, { detail: 'User deletion started', request_id: requestIdOf(call.response) });
  };
  return [
    keyedRoute('DELETE /api/v1/users/:user_id', forAdmins, operations.remove, remove),
    keyedRoute('GET /api/v1/users/whoami', forReading, operations.whoAmI, whoAmI),
    keyedRoute('GET /api/v1/users/:user_id', forReading, operations.read, read),
    jsonRoute('PATCH /api/v1/users/:user_id', forManagement, operations.update, update),
    ...['/api/v1/users', '/api/v1/users/'].flatMap((path): Route[] => [
      jsonRoute(`POST ${path}`, forAdmins, operations.create, create),
      keyedRoute(`GET ${path}`, { ...forAdmins, denied: LIST_DENIED }, operations.list, list),
    ]),
  ];
}

/** Changes the user with the body of a call; the checks are in Langflow's order. */
async function updateUser(options: UserRoutesOptions, call: KeyedCall, id: string): Promise<UserRecord> {
  const { users, audit } = options;
  const { username, profile_image, password, optins, ...flags } = call.body as UserChangesBody;
  const isActive = optionalFlag(flags.is_active);
  const isSuperuser = optionalFlag(flags.is_superuser);
  const isSelf = id === call.principal.userId;
  if (isSelf && isActive === false)
    throw new HttpError('permission_denied', "You can't deactivate your own user account");
  const isAdmin = await hasScopeOfAdmin(users, call);
  if (!isSelf && !isAdmin) throw new HttpError('permission_denied', 'Permission denied');
  if (!isAdmin && isSuperuser === true) {
    const text = 'Only a superuser may promote or demote platform superusers';
    throw new HttpError('permission_denied', text);
  }
  if (!isAdmin && password) throw new HttpError('invalid_value', "You can't change your password here");
  const before = known(await users.find(id));
  const changes: UserChanges = {
    username: username ?? undefined,
    profileImage: profile_image ?? undefined,
    isActive,
    isAdmin: isAdmin ? isSuperuser : undefined,
    optins: optins ?? undefined,
  };
  const changing = audit.change(actorOf(call), async (change) => {
    const changed = known(await users.within(change).change(id, changes));
    change.note(userUpdated(changed, changedMembers(changes)));
    return changed;
  });
  const after = await refuseDuplicate('This username is unavailable.', changing);
  if (before.isActive !== after.isActive || before.isAdmin !== after.isAdmin) await forgetKeys(options, id);
  return after;
}

const memberNames: Readonly<Record<keyof UserChanges, string>> = {
  username: 'username',
  profileImage: 'profile_image',
  isActive: 'is_active',
  isAdmin: 'is_superuser',
  optins: 'optins',
};

function changedMembers(changes: UserChanges): readonly string[] {
  const names = Object.keys(memberNames) as (keyof UserChanges)[];
  return names.filter((name) => changes[name] !== undefined).map((name) => memberNames[name]);
}

/** Lets all processes look the keys of a user up again, and the members of their projects. */
async function forgetKeys(options: UserRoutesOptions, userId: string): Promise<void> {
  const { apiKeys, members, principals, sessions, control } = options;
  await forgetMembers(options, await members.list(userId, null));
  for (const { keyHash } of await apiKeys.list(userId)) {
    principals.invalidate(keyHash);
    sessions.invalidateKey(keyHash);
    await control.send({ kind: 'key-revoked', keyHash });
  }
}

/** Whether the caller is an admin and calls with a key of scope `admin`. */
async function hasScopeOfAdmin(users: UserStore, { principal }: KeyedCall): Promise<boolean> {
  if (!principal.scopes.includes('admin')) return false;
  return (await users.find(principal.userId))?.isAdmin === true;
}

async function requireScopeOfAdmin(users: UserStore, call: KeyedCall): Promise<void> {
  if (!(await hasScopeOfAdmin(users, call))) throw new HttpError('permission_denied', 'Permission denied');
}

function userIdOf({ request }: KeyedCall): string {
  return parseUuidStrictly(pathParameter(request, 'user_id'), ['path', 'user_id']);
}

/** Throws not_found without a user. */
function known(user: UserRecord | null): UserRecord {
  if (!user) throw new HttpError('not_found', 'User not found');
  return user;
}

/**
 * Deletes the keys and the members of projects first, so that no run begins meanwhile, then each flow with its runs and messages, then the user. A call
 * that fails can be repeated.
 */
async function removeUser(options: UserRoutesOptions, call: KeyedCall, userId: string): Promise<void> {
  const { users, apiKeys, members, audit, flows, flowService, principals, sessions, control } = options;
  const actor = actorOf(call);
  for (const { id, keyHash } of await apiKeys.list(userId)) {
    await audit.change(actor, async (change) => {
      const deleted = await apiKeys.within(change).delete(userId, id);
      if (deleted) change.note(keyDeleted(deleted));
    });
    principals.invalidate(keyHash);
    sessions.invalidateKey(keyHash);
    await control.send({ kind: 'key-revoked', keyHash });
  }
  await endMemberships(options, actor, await members.list(userId, null));
  for (;;) {
    const page = await flows.list(userId, { limit: FLOWS_AT_ONCE });
    if (page.length === 0) break;
    for (const { id } of page) await flowService.delete({ userId, actor }, id);
  }
  const addedMeanwhile = await members.list(userId, null);
  await audit.change(actor, async (change) => {
    const deleted = await users.within(change).delete(userId);
    if (deleted) change.note(userDeleted(deleted));
  });
  await forgetMembers(options, addedMeanwhile);
}

/** The user as in Langflow, whose times here end in `Z`. */
function userView(user: UserRecord): Record<string, unknown> {
  return {
    id: user.id,
    username: user.username,
    profile_image: user.profileImage,
    store_api_key: null,
    is_active: user.isActive,
    is_superuser: user.isAdmin,
    create_at: user.createdAt.toISOString(),
    updated_at: user.changedAt.toISOString(),
    last_login_at: null,
    optins: user.optins ?? NO_OPTINS,
  };
}
