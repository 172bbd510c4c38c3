import { callbackReportSchema, named } from '@millrace/messages';
import {
  faultsSchema,
  jsonRpcRefusalSchema,
  openAiRefusalSchema,
  refusalSchema,
} from '../http/answers/error-schemas';
import { errorCodes } from '@millrace/http';
import type { ErrorCode } from '@millrace/http';
import { version } from '@millrace/service';
import { confinedRoute } from '../http/routing/end-user-use';
import type { DocumentedRoute } from '../http/routing/route';
import type { AnswerDescription, Content } from '../http/routing/operation';
import { exampleValue } from './example-values';
import { NamedSchemas } from './named-schemas';
import { publicSchema } from './public-schema';
import { answerExamples, bodyExamples } from './recorded-examples';
import type { ShownExample } from './recorded-examples';
import { routeErrors } from './route-errors';
import { tasks } from './tasks';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly unknown[];
  readonly security: readonly unknown[];
  readonly tags: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  /** Requests that are sent to others. */
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: Readonly<Record<string, unknown>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly security?: readonly unknown[];
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: unknown;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: OpenApiContent;
}

type OpenApiContent = Readonly<
  Record<
    string,
    {
      readonly schema: unknown;
      /** Recorded from a server. */
      readonly examples?: Readonly<Record<string, ShownExample>>;
      /** Made from the schema. */
      readonly example?: unknown;
      /** Of a stream: the schema of the data of each event. */
      readonly 'x-event-schema'?: unknown;
    }
  >
>;

/** Statuses whose errors can be lists of items; the others have one text. */
const STATUSES_WITH_ITEMS = new Set([422]);

/** 1 to 255 visible ASCII characters. */
const IDEMPOTENCY_KEY = { type: 'string', pattern: '^[!-~]{1,255}$' };

/** Path parameters whose name ends with `_id` but whose value is any text; the others are UUIDs. */
const OTHER_IDS = new Set(['session_id']);

/** The id and the task of each route, by method and path. */
const operationNames = new Map(
  tasks.flatMap(({ name: tag, operations }) =>
    Object.entries(operations).map(([id, route]) => [route, { id, tag }] as const),
  ),
);

/** Bodies of errors. */
const SHARED = {
  Refusal: named('Refusal', refusalSchema),
  Faults: named('Faults', faultsSchema),
  OpenAiRefusal: named('OpenAiRefusal', openAiRefusalSchema),
  JsonRpcRefusal: named('JsonRpcRefusal', jsonRpcRefusalSchema),
};

/** The alternatives for sending a key. */
const KEY_SCHEMES = [{ keyInHeader: [] }, { keyInQuery: [] }] as const;

/** The report of the end of a run, signed by Standard Webhooks. */
const CALLBACK = {
  operationId: 'runEnded',
  summary: 'The end of a run, sent to the callbacks of its flow and of its request',
  security: [],
  parameters: [
    ['webhook-id', 'The same for every attempt of this report'],
    ['webhook-timestamp', 'When this attempt was made, in seconds since the epoch'],
    ['webhook-signature', 'One `v1,` signature for each secret, separated by spaces'],
  ].map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  })),
  requestBody: { required: true, content: { 'application/json': { schema: callbackReportSchema } } },
  responses: {
    '2XX': { description: 'The receiver has the report' },
    410: { description: 'The receiver does not want this report: it is not sent again' },
    default: { description: 'The report is sent again later' },
  },
};

/** Builds the OpenAPI 3.1 document of these routes. */
export function openApiDocument(routes: readonly DocumentedRoute[]): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of routes) {
    const path = (paths[templateOf(route.path)] ??= {});
    path[route.method.toLowerCase()] = operationOf(route);
  }
  const schemas = new NamedSchemas();
  const document = schemas.inDocument({
    paths,
    webhooks: { runEnded: { post: CALLBACK } },
    // As values of `schema`, so that they are named, too.
    shared: Object.values(SHARED).map((schema) => ({ schema })),
  }) as Pick<OpenApiDocument, 'paths' | 'webhooks'>;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version,
      description:
        'Runs flows exported from Langflow. Every error answer has its code in `X-Error-Code`. The header `x-millrace-project` names a project of another user that the caller is a member of.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server of this document' }],
    security: KEY_SCHEMES,
    tags: tasks.map(({ name, description }) => ({ name, description })),
    paths: withExampleValues(document.paths, schemas.schemas),
    webhooks: document.webhooks,
    components: {
      schemas: schemas.schemas,
      securitySchemes: {
        keyInHeader: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        keyInQuery: { type: 'apiKey', in: 'query', name: 'x-api-key' },
        keyAsBearer: { type: 'http', scheme: 'bearer', description: 'An API key that begins with `sk-`.' },
      },
    },
  };
}

/** Adds an example to each JSON body that has none recorded. */
function withExampleValues(
  paths: OpenApiDocument['paths'],
  schemas: Readonly<Record<string, unknown>>,
): OpenApiDocument['paths'] {
  const shown = (content: OpenApiContent = {}): OpenApiContent => {
    const json = content['application/json'];
    return json === undefined || json.examples !== undefined
      ? content
      : { ...content, 'application/json': { ...json, example: exampleValue(json.schema, schemas) } };
  };
  const operationShown = ({ requestBody, responses, ...operation }: OpenApiOperation): OpenApiOperation => ({
    ...operation,
    ...(requestBody ? { requestBody: { ...requestBody, content: shown(requestBody.content) } } : {}),
    responses: mapped(responses, (response, status) =>
      /^2/.test(status) && response.content ? { ...response, content: shown(response.content) } : response,
    ),
  });
  return mapped(paths, (methods) => mapped(methods, operationShown));
}

function mapped<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

/** Converts a path to OpenAPI's syntax: `{name}` for `:name`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function operationOf(route: DocumentedRoute): OpenApiOperation {
  const { method, path, access, operation } = route;
  const parameters = parametersOf(route);
  const { id, tag } = nameOf(route);
  return {
    operationId: id,
    summary: operation.summary,
    description: accessTextOf(access),
    tags: [tag],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body
      ? {
          requestBody: {
            required: operation.bodyOptional !== true,
            content: withExamples(requestContentOf(operation.body), bodyExamples(method, path)),
          },
        }
      : {}),
    responses: responsesOf(route),
    ...securityOf(access),
  };
}

function accessTextOf(access: DocumentedRoute['access']): string {
  return access === 'public' ? 'Needs no key.' : `Needs a key with the scope \`${access.scope}\`.`;
}

/** Returns the security of a route; nothing when it is the document's default. */
function securityOf(access: DocumentedRoute['access']): Pick<OpenApiOperation, 'security'> {
  if (access === 'public') return { security: [] };
  return access.takesBearer ? { security: [...KEY_SCHEMES, { keyAsBearer: [] }] } : {};
}

/** Sent with keys that act for end users. */
const END_USER = { 'x-end-user-id': 'The end user, where the API key acts for end users by this header' };

function parametersOf(route: DocumentedRoute): OpenApiParameter[] {
  const { path, operation } = route;
  const takesEndUser = route.access !== 'public' && confinedRoute(route).use !== null;

  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']): OpenApiParameter => ({
    name,
    in: 'path',
    required: true,
    schema:
      name.endsWith('_id') && !OTHER_IDS.has(name) ? { type: 'string', format: 'uuid' } : { type: 'string' },
  }));
  const inQuery = Object.entries(operation.query ?? {}).map(
    ([name, { description, schema, required = false }]): OpenApiParameter => ({
      name,
      in: 'query',
      required,
      description,
      schema,
    }),
  );
  const headers = { ...operation.headers, ...(takesEndUser ? END_USER : {}) };
  const inHeader = Object.entries(headers).map(([name, description]): OpenApiParameter => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: name === 'idempotency-key' ? IDEMPOTENCY_KEY : { type: 'string' },
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

function responsesOf(route: DocumentedRoute): Record<string, OpenApiResponse> {
  const responses: Record<string, OpenApiResponse> = {};
  for (const [status, answer] of Object.entries(route.operation.answers))
    responses[status] = responseOf(answer);
  for (const [status, codes] of codesByStatus(routeErrors(route))) {
    const answer = responses[status];
    const refusal = refusalOf(status, codes, route.errors);
    responses[status] = answer ? merged(answer, refusal) : refusal;
  }
  for (const [status, { content, ...response }] of Object.entries(responses)) {
    const examples = answerExamples(route.method, route.path, Number(status));
    if (content) responses[status] = { ...response, content: withExamples(content, examples) };
  }
  return responses;
}

/** Adds examples to the JSON of a body. */
function withExamples(
  content: OpenApiContent,
  examples: Readonly<Record<string, ShownExample>>,
): OpenApiContent {
  const json = content['application/json'];
  return json && Object.keys(examples).length > 0
    ? { ...content, 'application/json': { ...json, examples } }
    : content;
}

function responseOf({ description, content, events }: AnswerDescription): OpenApiResponse {
  if (!content) return { description };
  const described = contentOf(content);
  const stream = described['text/event-stream'];
  return {
    description,
    content:
      events && stream
        ? { ...described, 'text/event-stream': { ...stream, 'x-event-schema': events } }
        : described,
  };
}

function refusalOf(
  status: number,
  codes: readonly ErrorCode[],
  shape: DocumentedRoute['errors'],
): OpenApiResponse {
  const usual = STATUSES_WITH_ITEMS.has(status) ? 'Faults' : 'Refusal';
  const names =
    shape === 'openai' ? ['OpenAiRefusal'] : shape === 'jsonrpc' ? [usual, 'JsonRpcRefusal'] : [usual];
  const [schema, ...others] = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('\n\n'),
    headers: { 'X-Error-Code': { schema: { type: 'string', enum: codes } } },
    content: { 'application/json': { schema: others.length > 0 ? { anyOf: [schema, ...others] } : schema } },
  };
}

/** Merges the descriptions of a status that is used for an answer and for errors. */
function merged(answer: OpenApiResponse, refusal: OpenApiResponse): OpenApiResponse {
  const schemas = [answer, refusal].flatMap(({ content }) => content?.['application/json']?.schema ?? []);
  return {
    ...refusal,
    description: `${answer.description}\n\n${refusal.description}`,
    content: { ...answer.content, 'application/json': { schema: { anyOf: schemas } } },
  };
}

function codesByStatus(codes: readonly ErrorCode[]): ReadonlyMap<number, readonly ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    for (const status of errorCodes[code].statuses) found.set(status, [...(found.get(status) ?? []), code]);
  }
  return found;
}

function contentOf(content: Content): OpenApiContent {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

function requestContentOf(content: Content): OpenApiContent {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [type, { schema: publicSchema(schema) }]),
  );
}

/** Returns the id and the task of a route. Throws for a route that `tasks` lacks. */
function nameOf({ method, path }: DocumentedRoute): { readonly id: string; readonly tag: string } {
  const known = operationNames.get(`${method} ${templateOf(path)}`);
  if (known === undefined) throw new Error(`tasks.ts has no id for ${method} ${path}.`);
  return known;
}
