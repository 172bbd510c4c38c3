import { createHash } from 'node:crypto';
import { loadWorkspaceCode } from '../build/load-workspace-code.mjs';
import { readSchemas } from './read-operations.mjs';
import { sendRequest } from './send-request.mjs';

/** @import { Json, JsonObject, Template } from './case.ts' */

/**
 * @typedef {object} Component
 * @property {boolean} isNative whether a component of this server runs in its place
 * @property {string} text hash of its text, as Langflow writes it
 * @property {boolean} isListed whether this server knows the text
 * @property {JsonObject} marks
 * @property {JsonObject} fields by name, without the text
 * @property {JsonObject} outputs by name
 *
 * @typedef {object} Description What a Langflow says of itself.
 * @property {string} version
 * @property {ReturnType<typeof readSchemas>} routes
 * @property {Readonly<Record<string, Component>>} components
 */

const HASH_DIGITS = 12;
const MARKS = ['beta', 'legacy', 'replacement', 'tool_mode', 'minimized', 'frozen'];
const code = `export { componentRegistry } from './libs/components/src/index';
export { knownCode } from './libs/flow/src/code/known-code';
export { findComponent } from './libs/flow/src/plan/find-component';`;

/**
 * Reads the version, routes and components of a Langflow.
 * @param {{ readonly url: string, readonly key: string }} langflow
 * @returns {Promise<Description>}
 */
export async function readLangflow({ url, key }) {
  const workspace = await loadWorkspaceCode(code);
  const read = async (/** @type {string} */ path) => {
    const response = await sendRequest(`${url}${path}`, { headers: { 'x-api-key': key } });
    return /** @type {Promise<any>} */ (response.json());
  };
  const [document, categories, { version }] = await Promise.all(
    ['/openapi.json', '/api/v1/all', '/api/v1/version'].map(read),
  );
  const known = workspace.knownCode();
  const types = Object.values(/** @type {Record<string, Record<string, Template>>} */ (categories));
  const components = types
    .flatMap((category) => Object.entries(category))
    .filter(([, template]) => template.template !== undefined)
    .map(([type, template]) => {
      const { code: text, ...fields } = /** @type {JsonObject} */ (template.template);
      const hash = hashOf(text);
      const native = workspace.findComponent(workspace.componentRegistry, type);
      return /** @type {const} */ ([
        type,
        {
          isNative: Boolean(native),
          text: hash,
          isListed: known.has([type, native?.type ?? type], hash),
          marks: Object.fromEntries(MARKS.map((name) => [name, /** @type {any} */ (template)[name]])),
          fields,
          outputs: Object.fromEntries(
            template.outputs.map((output) => [output.name, /** @type {any} */ (output)]),
          ),
        },
      ]);
    });
  return { version, routes: readSchemas(document), components: Object.fromEntries(components) };
}

/** @param {Json | undefined} field */
function hashOf(field) {
  const text = /** @type {any} */ (field)?.value ?? '';
  return createHash('sha256').update(String(text)).digest('hex').slice(0, HASH_DIGITS);
}
