import type { PrincipalCache } from '@millrace/access';
import { apiKeyBodySchema, keyChangesBodySchema, keyRotationBodySchema } from './api-key-bodies';
import { apiKeyListSchema, apiKeySchema, createdApiKeySchema, rotatedApiKeySchema } from './api-key-schemas';
import { changedBounds, givenBounds, onlyRuns, requireNarrower } from './key-bounds';
import { confirmationSchema } from '../../http/answers/confirmation-schema';
import type { ApiKeyBody, KeyChangesBody, KeyRotationBody } from './api-key-bodies';
import { HttpError } from '@millrace/http';
import type {
  ApiKeyChanges,
  ApiKeyRecord,
  ApiKeyStore,
  AuditLog,
  FlowStore,
  KeyBounds,
  MemberStore,
  ProjectStore,
  Scope,
} from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import { boundsView } from '../../authentication/bounds-view';
import { keyCreated, keyDeleted, keyRotated, keyUpdated } from '../../authentication/audit-events';
import { parseDateTime, pythonIsoFormat } from '../../http/validation/date-time';
import { forManagement } from '../../http/routing/access';
import { jsonRoute, keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { requireBody } from '../../http/validation/require-body';
import { createValidator } from '../../http/validation/validator';
import { json, jsonBody } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ControlChannel } from '../../runs/control-channel';

export interface ApiKeyRoutesOptions {
  readonly apiKeys: ApiKeyStore;
  readonly flows: Pick<FlowStore, 'find'>;
  readonly projects: Pick<ProjectStore, 'find'>;
  readonly members: Pick<MemberStore, 'ofUser'>;
  readonly audit: AuditLog;
  readonly principals: PrincipalCache;
  readonly sessions: PrincipalCache;
  readonly control: ControlChannel;
}

const check = createValidator(apiKeyBodySchema);
const checkRotation = createValidator(keyRotationBodySchema);
const checkChanges = createValidator(keyChangesBodySchema);
const DEFAULT_OVERLAP_SECONDS = 86_400;
const RUN: readonly Scope[] = ['run'];
/** As much of a key as Langflow shows, and the length of the rest. */
const [SHOWN, HIDDEN] = [8, '*'.repeat(38)];
const operations = {
  list: { summary: 'List your API keys', answers: { 200: json('The masked keys', apiKeyListSchema) } },
  create: {
    summary: 'Create an API key',
    body: jsonBody(apiKeyBodySchema),
    bodyOptional: true,
    answers: { 200: json('The key, which is shown only once', createdApiKeySchema) },
    errors: ['invalid_value', 'not_found'],
  },
  change: {
    summary: 'Change the name, bounds or expiry of an API key, or disable it; its open streams end',
    body: jsonBody(keyChangesBodySchema),
    answers: { 200: json('The masked key', apiKeySchema) },
    errors: ['key_unknown', 'invalid_value', 'not_found'],
  },
  rotate: {
    summary:
      'Replace an API key: a new one with its name and scopes; the old one expires after the overlap, or at once',
    body: jsonBody(keyRotationBodySchema),
    bodyOptional: true,
    answers: { 200: json('The new key, which is shown only once, and the old one', rotatedApiKeySchema) },
    errors: ['key_unknown'],
  },
  remove: {
    summary: 'Delete an API key',
    answers: { 200: json('The key was deleted', confirmationSchema) },
    errors: ['key_unknown'],
  },
} as const satisfies Record<string, Operation>;

/** Routes for a user's own keys: list, create (the key is shown only once), replace and delete. */
export function apiKeyRoutes({
  apiKeys,
  flows,
  projects,
  members,
  audit,
  principals,
  sessions,
  control,
}: ApiKeyRoutesOptions): readonly Route[] {
  /** Makes all processes query a key and its sessions again, and end its streams. The caller can rely on it after the answer. */
  const forget = async (keyHash: string, keepsStreams = false) => {
    principals.invalidate(keyHash);
    sessions.invalidateKey(keyHash);
    await control.send({ kind: 'key-revoked', keyHash, ...(keepsStreams ? { keepsStreams } : {}) });
  };
  const list = async ({ response, principal }: KeyedCall) => {
    const keys = await apiKeys.list(principal.userId);
    sendJson(response, 200, {
      total_count: keys.length,
      user_id: principal.userId,
      api_keys: keys.map(maskedView),
    });
  };
  const create = async (call: KeyedCall) => {
    const { body = {}, response, principal } = call;
    check(body);
    const wanted = body as ApiKeyBody;
    const given = await givenBounds({ flows, projects, members }, principal.userId, wanted);
    const bounds = changedBounds(principal.bounds, given);
    requireNarrower(bounds, principal.bounds);
    const scopes = wanted.scopes ?? (onlyRuns(bounds) ? RUN : principal.scopes);
    requireScopes(scopes, principal.scopes);
    refuseUnboundScopes(bounds, scopes);
    const { record, key } = await audit.change(actorOf(call), async (change) => {
      const created = await apiKeys.within(change).create(principal.userId, {
        name: wanted.name ?? null,
        expiresAt: wanted.expires_at === undefined ? null : parseDateTime(wanted.expires_at),
        scopes,
        bounds,
      });
      change.note(keyCreated(created.record));
      return created;
    });
    response.setHeader('cache-control', 'no-store');
    sendJson(
      response,
      200,
      wanted.scopes || bounds ? { ...keyView(record, key), scopes } : keyView(record, key),
    );
  };
  const update = async (call: KeyedCall) => {
    const { body, request, response, principal } = call;
    requireBody(body);
    checkChanges(body);
    const wanted = body as KeyChangesBody;
    const id = parseUuidStrictly(pathParameter(request, 'api_key_id'), ['path', 'api_key_id']);
    const given = await givenBounds({ flows, projects, members }, principal.userId, wanted);
    const changed = await audit.change(actorOf(call), async (change) => {
      const keys = apiKeys.within(change);
      const before = await keys.lock(principal.userId, id);
      if (!before) return null;
      requireScopes(before.scopes, principal.scopes);
      const bounds = changedBounds(before.bounds, given);
      requireNarrower(bounds, principal.bounds);
      refuseUnboundScopes(bounds, before.scopes);
      const found = await keys.update(principal.userId, id, { ...changesOf(wanted), bounds });
      if (found) change.note(keyUpdated(found, Object.keys(wanted)));
      return found;
    });
    if (!changed) throw new HttpError('key_unknown', 'API Key not found');
    await forget(changed.keyHash, isRenamedOnly(wanted));
    sendJson(response, 200, maskedView(changed));
  };
  const rotate = async (call: KeyedCall) => {
    const { body = {}, request, response, principal } = call;
    checkRotation(body);
    const wanted = body as KeyRotationBody;
    const id = parseUuidStrictly(pathParameter(request, 'api_key_id'), ['path', 'api_key_id']);
    const rotated = await audit.change(actorOf(call), async (change) => {
      const keys = apiKeys.within(change);
      const seconds = wanted.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS;
      const old = await keys.expireAfter(principal.userId, id, seconds);
      if (!old) return null;
      requireScopes(old.scopes, principal.scopes);
      requireNarrower(old.bounds, principal.bounds);
      const { record, key } = await keys.create(principal.userId, {
        name: old.name,
        expiresAt: wanted.expires_at === undefined ? null : parseDateTime(wanted.expires_at),
        scopes: old.scopes,
        bounds: old.bounds,
        limitsOf: old.id,
      });
      change.note(keyCreated(record));
      change.note(keyRotated(old, record.id));
      return { old, record, key };
    });
    if (!rotated) throw new HttpError('key_unknown', 'API Key not found');
    const { old, record, key } = rotated;
    await forget(old.keyHash, wanted.overlap_seconds !== 0);
    response.setHeader('cache-control', 'no-store');
    sendJson(response, 200, {
      ...keyView(record, key),
      scopes: record.scopes,
      replaces: { id: old.id, expires_at: old.expiresAt && pythonIsoFormat(old.expiresAt) },
    });
  };
  const remove = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const id = parseUuidStrictly(pathParameter(request, 'api_key_id'), ['path', 'api_key_id']);
    const deleted = await audit.change(actorOf(call), async (change) => {
      const found = await apiKeys.within(change).delete(principal.userId, id);
      if (found) change.note(keyDeleted(found));
      return found;
    });
    if (!deleted) throw new HttpError('key_unknown', 'API Key not found');
    await forget(deleted.keyHash);
    sendJson(response, 200, { detail: 'API Key deleted' });
  };
  return [
    keyedRoute('GET /api/v1/api_key/', forManagement, operations.list, list),
    jsonRoute('POST /api/v1/api_key/', forManagement, operations.create, create),
    jsonRoute('POST /api/v1/api_key/:api_key_id/rotate', forManagement, operations.rotate, rotate),
    jsonRoute('PATCH /api/v1/api_key/:api_key_id', forManagement, operations.change, update),
    keyedRoute('DELETE /api/v1/api_key/:api_key_id', forManagement, operations.remove, remove),
  ];
}

function requireScopes(wanted: readonly Scope[], held: readonly Scope[]): void {
  if (!wanted.every((scope) => held.includes(scope)))
    throw new HttpError('permission_denied', 'A key can only grant scopes that it has.');
}

/** A flow with edits of its own could use whatever belongs to its user. */
function refuseUnboundScopes(bounds: KeyBounds | null, scopes: readonly Scope[]): void {
  if (onlyRuns(bounds) && scopes.some((scope) => scope !== 'run'))
    throw new HttpError(
      'invalid_value',
      'A key for flows, projects or end users can only have the scope run.',
    );
}

function isRenamedOnly(changes: KeyChangesBody): boolean {
  return Object.keys(changes).every((name) => name === 'name');
}

function changesOf({ name, is_active: isActive, expires_at: expiresAt }: KeyChangesBody): ApiKeyChanges {
  return {
    ...(name === undefined ? {} : { name }),
    ...(isActive === undefined ? {} : { isActive }),
    ...(expiresAt === undefined ? {} : { expiresAt: parseDateTime(expiresAt) }),
  };
}

function maskedView(key: ApiKeyRecord): Record<string, unknown> {
  return {
    ...keyView(key, `${key.prefix.slice(0, SHOWN)}${HIDDEN}`),
    scopes: key.scopes,
    created_at: pythonIsoFormat(key.createdAt),
  };
}

function keyView(key: ApiKeyRecord, shown: string): Record<string, unknown> {
  return {
    name: key.name,
    last_used_at: key.lastUsedAt && pythonIsoFormat(key.lastUsedAt),
    total_uses: key.totalUses,
    is_active: key.isActive,
    expires_at: key.expiresAt && pythonIsoFormat(key.expiresAt),
    id: key.id,
    api_key: shown,
    user_id: key.userId,
    ...boundsView(key.bounds),
  };
}
