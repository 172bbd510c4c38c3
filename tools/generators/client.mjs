// The types of the client: the requests and JSON answers of all routes, from the OpenAPI document that a gateway serves.
import openapiTypes, { astToString } from 'openapi-typescript';
import { loadWorkspaceCode } from '../build/load-workspace-code.mjs';

/**
 * @typedef {{ readonly [name: string]: unknown }} Schema
 * @typedef {{ readonly content?: { readonly 'application/json'?: { readonly schema: Schema } } }} Content
 * @typedef {{ readonly name: string, readonly in: string, readonly required: boolean, readonly description?: string, readonly schema: Schema }} Parameter
 * @typedef {object} Operation
 * @property {string} summary
 * @property {readonly Parameter[]} [parameters]
 * @property {Content & { readonly required: boolean }} [requestBody]
 * @property {Readonly<Record<string, Content>>} responses
 *
 * @typedef {object} OpenApiDocument
 * @property {import('openapi-typescript').OpenAPI3['info']} info
 * @property {Readonly<Record<string, Readonly<Record<string, Operation>>>>} paths
 * @property {{ readonly schemas: Readonly<Record<string, Schema>> }} components
 */

/** An object that shares fewer members with a named one is written out. */
const FEWEST_SHARED = 5;

const HEAD = '// Generated from the OpenAPI document: npm run generate -- client\n';

export async function generate() {
  const { openTestGateway } = await loadWorkspaceCode(
    "export { openTestGateway } from './testing/test-gateway';",
    'apps/gateway/src',
  );
  const gateway = await openTestGateway();
  const document = /** @type {OpenApiDocument} */ (await (await fetch(`${gateway.url}/openapi.json`)).json());
  await gateway.close();
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      callOf(operation),
    ]),
  );
  const schemas = reached(Object.fromEntries(calls), document.components.schemas);
  const text = astToString(
    await openapiTypes(
      { openapi: '3.1.0', info: document.info, components: { schemas } },
      { defaultNonNullable: false, emptyObjectsUnknown: true },
    ),
  );
  const [, types = ''] = /^export interface components \{\n {4}schemas: (\{.*?^ {4}\});/ms.exec(text) ?? [];
  return [
    {
      path: 'apps/cli/src/client/calls.generated.ts',
      text: `${HEAD}\n/** The entities of the interface by name, and in \`Calls\` each route. */\nexport interface Schemas ${described(types)}\n`,
    },
  ];
}

/**
 * Returns types without comments that repeat the type below them.
 * @param {string} types
 */
function described(types) {
  return types
    .replaceAll('components["schemas"]', 'Schemas')
    .replaceAll(/^ *(?:\/\*\* @(?:enum|constant).*\*\/|\* @(?:enum|constant).*)\n/gm, '')
    .replaceAll(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */');
}

/**
 * Returns the schema of what a call takes and answers. Its name has the parameters of its path.
 * @param {Operation} operation
 */
function callOf({ summary, parameters = [], requestBody, responses }) {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const properties = {
    ...queryGroup(query),
    ...(requestBody === undefined ? {} : { body: requestBody.content?.['application/json']?.schema ?? {} }),
    answer: answerOf(responses),
  };
  const required = [
    'answer',
    ...(query.some((parameter) => parameter.required) ? ['query'] : []),
    ...(requestBody?.required === true ? ['body'] : []),
  ];
  return { type: 'object', description: summary, properties, required };
}

/** @param {readonly Parameter[]} parameters */
function queryGroup(parameters) {
  if (parameters.length === 0) return {};
  const properties = Object.fromEntries(
    parameters.map(({ name, description, schema }) => [name, { description, ...schema }]),
  );
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  return { query: { type: 'object', properties, required } };
}

/** @param {Operation['responses']} responses */
function answerOf(responses) {
  const schemas = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([, { content }]) =>
      content === undefined ? { type: 'null' } : (content['application/json']?.schema ?? {}),
    );
  return schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas };
}

/**
 * Returns the calls with the entities that they name, directly or through others, without examples and
 * formats of ids.
 * @param {Schema} calls
 * @param {Readonly<Record<string, Schema>>} all
 */
function reached(calls, all) {
  /** @type {Record<string, Schema>} */
  const found = {};
  /** @param {unknown} value */
  const visit = (value) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [member, below] of Object.entries(value)) {
      const name = member === '$ref' ? String(below).replace('#/components/schemas/', '') : '';
      const schema = found[name] === undefined ? all[name] : undefined;
      if (schema !== undefined) found[name] = schema;
      visit(schema ?? below);
    }
  };
  visit(calls);
  const entities = Object.fromEntries(
    Object.entries(found).sort(([left], [right]) => (left < right ? -1 : 1)),
  );
  const required = Object.keys(calls);
  const schemas = { Calls: { type: 'object', properties: calls, required }, ...entities };
  const isLeftOut = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    /^examples?$/.test(name) || (name === 'format' && value === 'uuid');
  const cleaned = JSON.parse(
    JSON.stringify(schemas, (name, value) => (isLeftOut(name, value) ? undefined : value)),
  );
  return withReferences(cleaned);
}

/**
 * Returns schemas in which an object with all members of a named one refers to it, and has only its further members itself.
 * @param {Record<string, Schema>} schemas
 * @returns {any}
 */
function withReferences(schemas) {
  const named = Object.entries(schemas)
    .flatMap(([name, { properties, required = [] }]) =>
      properties === undefined || name === 'Calls' ? [] : [{ name, ...membersOf({ properties, required }) }],
    )
    .filter(({ texts }) => texts.size >= FEWEST_SHARED)
    .sort((left, right) => right.texts.size - left.texts.size);
  /** @type {(value: unknown, own?: string) => unknown} */
  const visit = (value, own) => {
    if (Array.isArray(value)) return value.map((item) => visit(item));
    if (typeof value !== 'object' || value === null) return value;
    const { properties, required = [], ...others } = /** @type {Schema} */ (value);
    const base =
      others['type'] === 'object' && typeof properties === 'object'
        ? baseOf({ properties, required }, own)
        : undefined;
    if (base === undefined)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visit(member)]));
    const further = Object.fromEntries(
      Object.entries(/** @type {object} */ (properties)).filter(([name]) => !base.texts.has(name)),
    );
    const reference = { $ref: `#/components/schemas/${base.name}` };
    if (Object.keys(further).length === 0) return reference;
    const stillRequired = /** @type {readonly string[]} */ (required).filter((name) => name in further);
    const rest = { ...others, properties: visit(further), required: stillRequired };
    return { allOf: [reference, rest] };
  };
  /** @type {(object: { properties: unknown, required: unknown }, own: string | undefined) => typeof named[number] | undefined} */
  const baseOf = (object, own) => {
    const { texts } = membersOf(object);
    return named.find(
      (one) =>
        one.name !== own &&
        (own === undefined || one.texts.size < texts.size) &&
        [...one.texts].every(([name, text]) => texts.get(name) === text),
    );
  };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, visit(schema, name)]));
}

/**
 * Returns the members of an object by name, each as a text that says its type and whether it can be absent.
 * @param {{ properties: unknown, required: unknown }} object
 */
function membersOf({ properties, required }) {
  const names = /** @type {readonly string[]} */ (required);
  const entries = Object.entries(/** @type {object} */ (properties));
  return {
    texts: new Map(entries.map(([name, schema]) => [name, JSON.stringify([schema, names.includes(name)])])),
  };
}
