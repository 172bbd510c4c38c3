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
  return JSON.parse(JSON.stringify(schemas, (name, value) => (isLeftOut(name, value) ? undefined : value)));
}
