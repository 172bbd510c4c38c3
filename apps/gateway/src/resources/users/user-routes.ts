import type { PrincipalCache } from '@millrace/access';
import { confirmationSchema } from '../../http/answers/confirmation-schema';
import { createdUserSchema, userListSchema, userSchema } from './user-schemas';
import { userBodySchema } from './user-body';
import type { UserBody } from './user-body';
import { HttpError } from '@millrace/http';
import type { ApiKeyStore, AuditLog, FlowStore, UserRecord, UserStore } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { keyCreated, keyDeleted, userCreated, userDeleted } from '../../authentication/audit-events';
import { requireAdmin } from '../../authentication/require-admin';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { refuseDuplicate } from '../../http/answers/refuse-duplicate';
import { requireBody } from '../../http/validation/require-body';
import { forAdmins, forReading } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { createValidator } from '../../http/validation/validator';
import { json, jsonBody } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ControlChannel } from '../../runs/control-channel';
import type { FlowService } from '../flows/flow-service';

export interface UserRoutesOptions {
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  readonly audit: AuditLog;
  readonly flows: FlowStore;
  readonly flowService: FlowService;
  readonly principals: PrincipalCache;
  readonly sessions: PrincipalCache;
  readonly control: ControlChannel;
}

const FLOWS_AT_ONCE = 20;
const check = createValidator(userBodySchema);
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
  remove: {
    summary: 'Delete a user with everything that they have, for admins',
    answers: { 200: json('The user was deleted', confirmationSchema) },
    errors: ['not_found', 'permission_denied'],
  },
  list: { summary: 'List users', answers: { 200: json('The users', userListSchema) } },
} as const satisfies Record<string, Operation>;

/** Routes that read the calling user and, for admins, list, create and delete users. */
export function userRoutes(options: UserRoutesOptions): readonly Route[] {
  const { users, apiKeys, audit } = options;
  const whoAmI = async ({ response, principal }: KeyedCall) => {
    const user = await users.find(principal.userId);
    if (!user) throw new HttpError('not_found', 'User not found');
    sendJson(response, 200, userView(user));
  };
  const list = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const found = await users.list();
    sendJson(call.response, 200, { total_count: found.length, users: found.map(userView) });
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
      const first = { name: 'first', expiresAt: null, scopes };
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
    const id = parseUuidStrictly(pathParameter(call.request, 'user_id'), ['path', 'user_id']);
    if (id === call.principal.userId)
      throw new HttpError('permission_denied', "You can't delete your own user account");
    if (!(await users.find(id))) throw new HttpError('not_found', 'User not found');
    await removeUser(options, call, id);
    sendJson(call.response, 200, { detail: 'User deleted' });
  };
  return [
    {
      method: 'DELETE',
      path: '/api/v1/users/:user_id',
      access: forAdmins,
      operation: operations.remove,
      handle: remove,
    },
    {
      method: 'GET',
      path: '/api/v1/users/whoami',
      access: forReading,
      operation: operations.whoAmI,
      handle: whoAmI,
    },
    ...['/api/v1/users', '/api/v1/users/'].flatMap((path): Route[] => [
      { method: 'POST', path, access: forAdmins, body: 'json', operation: operations.create, handle: create },
      { method: 'GET', path, access: forAdmins, operation: operations.list, handle: list },
    ]),
  ];
}

/**
 * Deletes the keys first, so that no run begins meanwhile, then each flow with its runs and messages, then the user. A call
 * that fails can be repeated.
 */
async function removeUser(
  { users, apiKeys, audit, flows, flowService, principals, sessions, control }: UserRoutesOptions,
  call: KeyedCall,
  userId: string,
): Promise<void> {
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
  for (;;) {
    const page = await flows.list(userId, { limit: FLOWS_AT_ONCE });
    if (page.length === 0) break;
    for (const { id } of page) await flowService.delete({ userId, actor }, id);
  }
  await audit.change(actor, async (change) => {
    const deleted = await users.within(change).delete(userId);
    if (deleted) change.note(userDeleted(deleted));
  });
}

function userView(user: UserRecord): Record<string, unknown> {
  return {
    id: user.id,
    username: user.username,
    is_active: true,
    is_superuser: user.isAdmin,
    create_at: pythonIsoFormat(user.createdAt),
  };
}
