import { createHmac, timingSafeEqual } from 'node:crypto';
import { equalVariablesSchema, variableSchema } from './variable-schemas';
import { variableBodySchema, variableChangesSchema, variableDigestsSchema } from './variable-bodies';
import type { VariableBody, VariableChangesBody, VariableDigestsBody } from './variable-bodies';
import { HttpError } from '@millrace/http';
import type { AuditEvent, AuditLog, VariableChanges, VariableRecord, VariableStore } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import { actorOf } from '../../authentication/actor-of';
import { collectValidationErrors, createValidator } from '../../http/validation/validator';
import { refuseDuplicate } from '../../http/answers/refuse-duplicate';
import { requireBody } from '../../http/validation/require-body';
import { forManagement } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson, sendNothing } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { json, jsonBody, nothing } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ControlChannel } from '../../runs/control-channel';

const checkNew = createValidator(variableBodySchema);
const checkChanges = createValidator(variableChangesSchema);
const checkDigests = createValidator(variableDigestsSchema);
const UNREADABLE = 'No encryption key opens the value; set it again.';
/** Credentials of Langflow's providers of models, which it lists as valid. */
const PROVIDER_KEYS: ReadonlySet<string> = new Set([
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_API_KEY',
  'OLLAMA_BASE_URL',
  'GROQ_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'AZURE_AI_FOUNDRY_API_KEY',
  'WATSONX_APIKEY',
  'OPENROUTER_API_KEY',
]);
const DUPLICATE = 'Variable name already exists';
const operations = {
  create: {
    summary: 'Create a variable',
    body: jsonBody(variableBodySchema),
    answers: { 201: json('The variable', variableSchema) },
    errors: ['duplicate'],
  },
  list: {
    summary: 'List variables',
    answers: {
      200: json('The variables, without the values of credentials', { type: 'array', items: variableSchema }),
    },
  },
  compare: {
    summary: 'Compare the values of variables, without sending them, by a keyed digest of each',
    body: jsonBody(variableDigestsSchema),
    answers: { 200: json('The names of the variables whose values are equal', equalVariablesSchema) },
  },
  update: {
    summary: 'Change a variable',
    body: jsonBody(variableChangesSchema),
    answers: { 200: json('The changed variable', variableSchema) },
    errors: ['not_found', 'duplicate'],
  },
  remove: {
    summary: 'Delete a variable',
    answers: { 204: nothing('The variable was deleted') },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

export interface VariableRoutesOptions {
  readonly variables: VariableStore;
  readonly audit: AuditLog;
  readonly control: ControlChannel;
  readonly release: LangflowRelease;
}

/** Routes for a user's global variables. The value of a credential is never returned. */
export function variableRoutes({
  variables,
  audit,
  control,
  release,
}: VariableRoutesOptions): readonly Route[] {
  const view = (variable: VariableRecord) => variableView(variable, release);
  const announce = (userId: string) => void control.send({ kind: 'variables-changed', userId });
  const create = async (call: KeyedCall) => {
    const { body, response, principal } = call;
    checkNew(requireBody(body));
    const { name, value, type = null, default_fields: defaultFields } = body as VariableBody;
    refuseEmpty(name, value);
    // As in Langflow a variable of no type is a secret.
    const variable = { name, value, type: type || 'Credential', defaultFields: defaultFields ?? [] };
    const creating = audit.change(actorOf(call), async (change) => {
      const created = await variables.within(change).create(principal.userId, variable);
      change.note(eventOf('variable.created', created, { type: created.type }));
      return created;
    });
    const created = await refuseDuplicate(DUPLICATE, creating);
    announce(principal.userId);
    sendJson(response, 201, view(created));
  };
  const list = async ({ response, principal }: KeyedCall) => {
    const found = await variables.list(principal.userId);
    sendJson(
      response,
      200,
      found.map((variable) =>
        release !== '1.11' && isProviderKey(variable)
          ? { ...view(variable), is_valid: true }
          : view(variable),
      ),
    );
  };
  const compare = async ({ body, response, principal }: KeyedCall) => {
    checkDigests(requireBody(body));
    const { nonce, variables: wanted } = body as VariableDigestsBody;
    const values = await variables.values(principal.userId);
    const equal = wanted.filter(({ name, digest }) => {
      const value = values.get(name);
      return value !== undefined && isDigestOf(value, nonce, digest);
    });
    sendJson(response, 200, { equal: equal.map(({ name }) => name) });
  };
  const update = async (call: KeyedCall) => {
    const { request, body, response, principal } = call;
    const [id] = collectValidationErrors(
      () => variableId(request),
      () => checkChanges(requireBody(body)),
    );
    const changes = changesOf(body as VariableChangesBody);
    refuseEmpty(changes.name ?? 'kept', changes.value ?? 'kept');
    const changing = audit.change(actorOf(call), async (change) => {
      const changed = await variables.within(change).update(principal.userId, id, changes);
      if (changed) change.note(eventOf('variable.updated', changed, { changed: Object.keys(changes) }));
      return changed;
    });
    const changed = await refuseDuplicate(DUPLICATE, changing);
    if (!changed) throw unknownVariable();
    announce(principal.userId);
    sendJson(response, 200, view(changed));
  };
  const remove = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const id = variableId(request);
    const deleted = await audit.change(actorOf(call), async (change) => {
      const found = await variables.within(change).remove(principal.userId, id);
      if (found) change.note(eventOf('variable.deleted', found, {}));
      return found;
    });
    if (!deleted) throw unknownVariable();
    announce(principal.userId);
    sendNothing(response);
  };
  const base = { access: forManagement } as const;
  return [
    {
      ...base,
      method: 'POST',
      path: '/api/v1/variables/',
      body: 'json',
      operation: operations.create,
      handle: create,
    },
    { ...base, method: 'GET', path: '/api/v1/variables/', operation: operations.list, handle: list },
    {
      ...base,
      method: 'POST',
      path: '/api/v1/variables/compare',
      body: 'json',
      operation: operations.compare,
      handle: compare,
    },
    {
      ...base,
      method: 'PATCH',
      path: '/api/v1/variables/:variable_id',
      body: 'json',
      operation: operations.update,
      handle: update,
    },
    {
      ...base,
      method: 'DELETE',
      path: '/api/v1/variables/:variable_id',
      operation: operations.remove,
      handle: remove,
    },
  ];
}

function isProviderKey({ name, type, value }: VariableRecord): boolean {
  return value !== null && type === 'Credential' && PROVIDER_KEYS.has(name);
}

function isDigestOf(value: string, nonce: string, digest: string): boolean {
  const given = Buffer.from(digest, 'hex');
  const own = createHmac('sha256', nonce).update(value).digest();
  return given.length === own.length && timingSafeEqual(given, own);
}

/** Returns what the audit log records of a variable: never its value. */
function eventOf(
  action: AuditEvent['action'],
  { id, name }: Pick<VariableRecord, 'id' | 'name'>,
  detail: NonNullable<AuditEvent['detail']>,
): AuditEvent {
  return { action, objectId: id, objectName: name, detail };
}

/** Returns a variable in the shape that clients read. Only its owner can read it. */
function variableView(variable: VariableRecord, release: LangflowRelease): Record<string, unknown> {
  return {
    id: variable.id,
    name: variable.name,
    type: variable.type,
    value: variable.type === 'Generic' ? variable.value : null,
    default_fields: variable.defaultFields,
    ...(release === '1.11'
      ? {}
      : { has_value: variable.value !== '', is_owner: true, can_manage_shares: true }),
    validation_error: variable.value === null ? UNREADABLE : null,
    is_valid: variable.value === null ? false : null,
  };
}

function changesOf(body: VariableChangesBody): VariableChanges {
  return {
    ...(typeof body.name === 'string' ? { name: body.name } : {}),
    ...(typeof body.value === 'string' ? { value: body.value } : {}),
    ...(typeof body.type === 'string' ? { type: body.type } : {}),
    ...(body.default_fields ? { defaultFields: body.default_fields } : {}),
  };
}

function refuseEmpty(name: string, value: string): void {
  const empty = [name === '' ? 'name' : null, value === '' ? 'value' : null].filter((part) => part !== null);
  if (empty.length === 0) return;
  throw new HttpError('invalid_value', `Variable ${empty.join(' and ')} cannot be empty`);
}

function variableId(request: KeyedCall['request']): string {
  return parseUuidStrictly(pathParameter(request, 'variable_id'), ['path', 'variable_id']);
}

function unknownVariable(): HttpError {
  return new HttpError('not_found', 'Variable not found');
}
