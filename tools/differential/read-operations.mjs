import { objectOf } from './read-events.mjs';

/** @import { Json, JsonObject } from './case.ts' */

/**
 * @typedef {object} Operation A method of a path of an OpenAPI document, with all references resolved.
 * @property {string} method
 * @property {string} path
 * @property {readonly { readonly name: string, readonly in: string, readonly required: boolean, readonly schema: JsonObject }[]} parameters
 * @property {JsonObject | null} body
 * @property {string | null} type of the body
 */

/** What clients call: no route of the editor, of administration, or of other processes. */
const CLIENT =
  /^\/(?:health|api\/v1\/(?:version|config|run|webhook|responses|files\/(?:upload|download|images|list|delete)|flows|variables|api_key|monitor\/(?:messages|builds|transactions|traces)|triggers|projects|folders|mcp\/project\/\{project_id\}$|predict|process|task)|api\/v2\/(?:files|workflows|mcp))/;
/** Routes that answer without end, are of the editor, or show what the machine does. */
const LEFT_OUT =
  /logs|shared|audits|batch|upload\/$|version-state|basic_examples|public_flow|note_translations|fork|overwrite|slack|operations|snapshot|compare|rotate|\/runs|events/;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Returns the operations of Langflow's document that clients call, and those that only Millrace's document names: Langflow
 * leaves some out.
 * @param {JsonObject} langflow
 * @param {JsonObject} millrace
 * @returns {readonly Operation[]}
 */
export function readOperations(langflow, millrace) {
  /** @type {Map<string, Operation>} */
  const found = new Map();
  for (const document of [langflow, millrace])
    for (const [path, methods] of Object.entries(objectOf(document.paths)))
      for (const method of METHODS) {
        const operation = objectOf(methods)[method];
        const name = `${method} ${path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '{}')}`;
        if (operation === undefined || found.has(name) || !CLIENT.test(path) || LEFT_OUT.test(path)) continue;
        const isExtra = document === millrace && !/variables|api_key|predict|process|task|mcp/.test(path);
        if (!isExtra) found.set(name, operationOf(document, method, path, objectOf(operation)));
      }
  return [...found.values()];
}

/**
 * Returns parameters, body and answers of each operation of a document, by method and path, without descriptions.
 * @param {JsonObject} document
 * @returns {Readonly<Record<string, { readonly isOfClients: boolean, readonly schema: JsonObject }>>}
 */
export function readSchemas(document) {
  const operations = Object.entries(objectOf(document.paths)).flatMap(([path, methods]) =>
    METHODS.filter((method) => method in objectOf(methods)).map((method) => {
      const { parameters, requestBody, responses } = objectOf(objectOf(methods)[method]);
      const schema = objectOf(resolve(document, { parameters, requestBody, responses }, 0));
      const isOfClients = CLIENT.test(path) && !LEFT_OUT.test(path);
      return /** @type {const} */ ([
        `${method.toUpperCase()} ${path}`,
        { isOfClients, schema: objectOf(withoutWords(schema)) },
      ]);
    }),
  );
  return Object.fromEntries(operations);
}

/**
 * @param {Json | undefined} value
 * @returns {Json}
 */
function withoutWords(value) {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const isWord = (/** @type {string} */ name, /** @type {Json | undefined} */ member) =>
    ['description', 'title', 'example', 'examples'].includes(name) && typeof member !== 'object';
  return Object.fromEntries(
    Object.entries(objectOf(value))
      .filter(([name, member]) => !isWord(name, member))
      .map(([name, member]) => [name, withoutWords(member)]),
  );
}

/**
 * @param {JsonObject} document
 * @param {string} method
 * @param {string} path
 * @param {JsonObject} operation
 * @returns {Operation}
 */
function operationOf(document, method, path, operation) {
  const resolved = objectOf(resolve(document, operation, 0));
  const [type, content] = Object.entries(objectOf(objectOf(resolved.requestBody).content))[0] ?? [null, null];
  const parameters = /** @type {readonly any[]} */ (resolved.parameters ?? []);
  return {
    method: method.toUpperCase(),
    path,
    parameters: parameters.map(({ name, in: place, required = false, schema = {} }) => ({
      name,
      in: place,
      required,
      schema,
    })),
    body: content === null ? null : objectOf(objectOf(content).schema),
    type,
  };
}

/**
 * @param {JsonObject} document
 * @param {Json | undefined} value
 * @param {number} depth bounds schemas that contain themselves
 * @returns {Json}
 */
function resolve(document, value, depth) {
  if (Array.isArray(value)) return value.map((one) => resolve(document, one, depth));
  if (typeof value !== 'object' || value === null) return value ?? null;
  const { $ref: reference, ...rest } = objectOf(value);
  if (typeof reference === 'string') {
    if (depth > 6) return {};
    /** @type {Json | undefined} */
    let target = document;
    for (const name of reference.slice(2).split('/')) target = objectOf(target)[name];
    return { ...objectOf(resolve(document, target, depth + 1)), ...rest };
  }
  return Object.fromEntries(
    Object.entries(rest).map(([name, member]) => [name, resolve(document, member, depth)]),
  );
}
