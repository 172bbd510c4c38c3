import { compile, parseFlowDocument, protectedFields } from '@millrace/flow';
import type { ComponentRegistry, PlanField, PlanVertex } from '@millrace/flow';
import { runAnswerSchema } from '@millrace/messages';
import type { JsonSchema } from '@millrace/messages';
import type { FlowRecord } from '@millrace/runs';
import { startedRunSchema } from '../../run-answers/started-run-schema';
import { isEmptyDocument } from '../../flow-changes/inspect-flow';

/** Longer values are no defaults of the document: prompts and tables can have megabytes. */
const MAXIMUM_DEFAULT_CHARACTERS = 1_000;
const TYPES: Readonly<Record<string, JsonSchema>> = {
  int: { type: 'integer' },
  float: { type: 'number' },
  slider: { type: 'number' },
  bool: { type: 'boolean' },
  dict: { type: 'object' },
  NestedDict: { type: 'object' },
  table: { type: 'array', items: { type: 'object' } },
  tools: { type: 'array', items: { type: 'object' } },
};
const TEXT = { type: 'string' };
/** Types of fields with a text; one that neither list has takes any value. */
const TEXT_TYPES = new Set(['str', 'prompt', 'mustache', 'file', 'link', 'query', 'tab', 'auth']);
const ERROR = {
  description: 'The request was refused; `X-Error-Code` has the code',
  content: { 'application/json': { schema: { type: 'object', properties: { detail: {} } } } },
};

/**
 * Returns an OpenAPI 3.1 document with the calls of one flow: its inputs, the fields that tweaks can set, and its outputs. Values of
 * secret fields are left out. Throws InvalidFlowError when the stored document is not a flow.
 * @param server the base URL of the gateway
 */
export function flowInterface(flow: FlowRecord, registry: ComponentRegistry, server: string): JsonSchema {
  const { name, description, version } = flow;
  const called = encodeURIComponent(flow.endpointName ?? flow.id);
  const vertices = describedVertices(flow, registry);
  const hasWebhook = flow.webhook || vertices.some(({ vertex }) => vertex.type === 'Webhook');
  return {
    openapi: '3.1.0',
    info: { title: name, version: String(version), ...(description ? { description } : {}) },
    servers: [{ url: server }],
    security: [{ key: [] }],
    paths: {
      [`/api/v1/run/${called}`]: { post: runOperation(name, vertices) },
      ...(hasWebhook ? { [`/api/v1/webhook/${called}`]: { post: webhookOperation(name) } } : {}),
    },
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
  };
}

interface DescribedVertex {
  readonly vertex: PlanVertex;
  /** The fields that a caller can set. */
  readonly fields: readonly PlanField[];
}

function describedVertices({ id, version, document }: FlowRecord, registry: ComponentRegistry) {
  if (isEmptyDocument(document)) return [];
  const parsed = parseFlowDocument(document);
  const plan = compile(parsed, { flowId: id, version, registry });
  const connected = new Set(parsed.edges.map(({ targetId, targetField }) => `${targetId} ${targetField}`));
  const kept = new Map(protectedFields(plan).map(({ vertexId, names }) => [vertexId, new Set(names)]));
  return plan.vertices.map((vertex): DescribedVertex => ({
    vertex,
    fields: [...vertex.fields.values()].filter(
      ({ name, type, show }) =>
        show &&
        type !== 'other' &&
        !name.startsWith('_') &&
        !kept.get(vertex.id)?.has(name) &&
        !connected.has(`${vertex.id} ${name}`),
    ),
  }));
}

function runOperation(name: string, vertices: readonly DescribedVertex[]): JsonSchema {
  return {
    operationId: 'run',
    summary: `Run ${name}`,
    parameters: [
      { name: 'stream', in: 'query', description: 'Answers with events', schema: { type: 'boolean' } },
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: requestSchema(vertices), example: { input_value: 'Hello' } } },
    },
    responses: {
      200: {
        description: 'The result of the run',
        content: {
          'application/json': { schema: runAnswerSchema },
          'text/event-stream': { schema: TEXT },
        },
      },
      '4XX': ERROR,
      '5XX': ERROR,
    },
  };
}

function requestSchema(vertices: readonly DescribedVertex[]): JsonSchema {
  const shown = ({ id, displayName }: PlanVertex) => `\`${id}\` (${displayName})`;
  const inputs = vertices.filter(({ vertex }) => vertex.isInput).map(({ vertex }) => shown(vertex));
  const outputs = vertices.filter(({ vertex }) => vertex.isOutput).map(({ vertex }) => vertex);
  const tweakable = vertices.filter(({ fields }) => fields.length > 0);
  return {
    type: 'object',
    properties: {
      input_value: {
        ...TEXT,
        description: inputs.length > 0 ? `Goes to ${inputs.join(', ')}.` : 'This flow has no input.',
      },
      input_type: { enum: ['chat', 'text', 'any'] },
      output_type: { enum: ['chat', 'text', 'any', 'debug'] },
      ...(outputs.length > 0
        ? {
            output_component: {
              enum: outputs.map(({ id }) => id),
              description: `The outputs: ${outputs.map(shown).join(', ')}.`,
            },
          }
        : {}),
      session_id: { ...TEXT, description: 'Runs with the same session share their messages.' },
      tweaks: {
        type: 'object',
        description: 'Values of fields for this run, by vertex.',
        properties: Object.fromEntries(
          tweakable.map(({ vertex, fields }) => [
            vertex.id,
            {
              type: 'object',
              description: `${vertex.displayName} (${vertex.type})`,
              properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
            },
          ]),
        ),
      },
    },
  };
}

function fieldSchema(field: PlanField): JsonSchema {
  const one = TYPES[field.type] ?? (TEXT_TYPES.has(field.type) ? TEXT : {});
  const isList = field.list && one['type'] !== 'array';
  return {
    ...(isList ? { type: 'array', items: one } : one),
    ...(field.displayName === '' ? {} : { description: field.displayName }),
    ...(field.password ? { writeOnly: true } : defaultOf(field, isList ? 'array' : String(one['type']))),
  };
}

/** The saved value, where it is short and of the type of the field. Names of variables are none of its values. */
function defaultOf({ value, loadFromDatabase }: PlanField, type: string): { readonly default?: unknown } {
  const isText = typeof value === 'string' && value !== '';
  const isOfType =
    (type === 'string' && isText) ||
    (type === 'boolean' && typeof value === 'boolean') ||
    (type === 'number' && typeof value === 'number') ||
    (type === 'integer' && Number.isInteger(value));
  const isShort = !isText || value.length <= MAXIMUM_DEFAULT_CHARACTERS;
  return isOfType && isShort && !loadFromDatabase ? { default: value } : {};
}

function webhookOperation(name: string): JsonSchema {
  return {
    operationId: 'sendWebhook',
    summary: `Send a webhook to ${name}`,
    requestBody: { required: false, content: { 'application/json': { schema: {} } } },
    responses: {
      202: {
        description: 'The run is stored',
        content: { 'application/json': { schema: startedRunSchema } },
      },
      '4XX': ERROR,
      '5XX': ERROR,
    },
  };
}
