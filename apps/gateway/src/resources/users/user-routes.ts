import { createdUserSchema, userBodySchema, userListSchema, userSchema } from '@millrace/contracts';
import type { UserBody } from '@millrace/contracts';
import { HttpError } from '@millrace/http';
import type { ApiKeyStore, AuditLog, UserRecord, UserStore } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { keyCreated, userCreated } from '../../authentication/audit-events';
import { requireAdmin } from '../../authentication/require-admin';
import { pythonIsoFormat } from '../../http/date-time';
import { refuseDuplicate } from '../../http/refuse-duplicate';
import { requireBody } from '../../http/require-body';
import { forAdmins, forReading } from '../../http/route';
import type { KeyedCall, Route } from '../../http/route';
import { sendJson } from '../../http/send-json';
import { createValidator } from '../../http/validator';
import { json, jsonBody } from '../../openapi/operation';
import type { Operation } from '../../openapi/operation';

export interface UserRoutesOptions {
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  readonly audit: AuditLog;
}

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
  list: { summary: 'List users', answers: { 200: json('The users', userListSchema) } },
} as const satisfies Record<string, Operation>;

/** Routes that read the calling user and, for admins, list and create users. */
export function userRoutes({ users, apiKeys, audit }: UserRoutesOptions): readonly Route[] {
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
  return [
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

function userView(user: UserRecord): Record<string, unknown> {
  return {
    id: user.id,
    username: user.username,
    is_active: true,
    is_superuser: user.isAdmin,
    create_at: pythonIsoFormat(user.createdAt),
  };
}
