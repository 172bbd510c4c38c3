import { variableBodySchema, variableChangesSchema, variableSchema } from '@millrace/contracts';
import type { VariableBody, VariableChangesBody } from '@millrace/contracts';
import { HttpError } from '@millrace/http';
import type { VariableChanges, VariableRecord, VariableStore } from '@millrace/runs';
import { collectValidationErrors } from '../../http/collect-validation-errors';
import { refuseDuplicate } from '../../http/refuse-duplicate';
import { requireBody } from '../../http/require-body';
import { forManagement, pathParameter } from '../../http/route';
import type { KeyedCall, Route } from '../../http/route';
import { sendJson } from '../../http/send-json';
import { parseUuidStrictly } from '../../http/uuid-text';
import { createValidator } from '../../http/validator';
import { json, jsonBody, nothing } from '../../openapi/operation';
import type { Operation } from '../../openapi/operation';
import type { ControlChannel } from '../../runs/control-channel';

const checkNew = createValidator(variableBodySchema);
const checkChanges = createValidator(variableChangesSchema);
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
  readonly control: ControlChannel;
}

/** Routes for a user's global variables. The value of a credential is never returned. */
export function variableRoutes({ variables, control }: VariableRoutesOptions): readonly Route[] {
  const announce = (userId: string) => void control.send({ kind: 'variables-changed', userId });
  const create = async ({ body, response, principal }: KeyedCall) => {
    checkNew(requireBody(body));
    const { name, value, type = null, default_fields: defaultFields } = body as VariableBody;
    refuseEmpty(name, value);
    const variable = { name, value, type, defaultFields: defaultFields ?? [] };
    const created = await refuseDuplicate(DUPLICATE, variables.create(principal.userId, variable));
    announce(principal.userId);
    sendJson(response, 201, variableView(created));
  };
  const list = async ({ response, principal }: KeyedCall) => {
    const found = await variables.list(principal.userId);
    sendJson(response, 200, found.map(variableView));
  };
  const update = async ({ request, body, response, principal }: KeyedCall) => {
    const [id] = collectValidationErrors(
      () => variableId(request),
      () => checkChanges(requireBody(body)),
    );
    const changes = changesOf(body as VariableChangesBody);
    refuseEmpty(changes.name ?? 'kept', changes.value ?? 'kept');
    const changed = await refuseDuplicate(DUPLICATE, variables.update(principal.userId, id, changes));
    if (!changed) throw unknownVariable();
    announce(principal.userId);
    sendJson(response, 200, variableView(changed));
  };
  const remove = async ({ request, response, principal }: KeyedCall) => {
    if (!(await variables.delete(principal.userId, variableId(request)))) throw unknownVariable();
    announce(principal.userId);
    response.writeHead(204).end();
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

function variableView(variable: VariableRecord): Record<string, unknown> {
  return {
    id: variable.id,
    name: variable.name,
    type: variable.type,
    value: variable.type === 'Generic' ? variable.value : null,
    default_fields: variable.defaultFields,
    validation_error: null,
    is_valid: null,
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
