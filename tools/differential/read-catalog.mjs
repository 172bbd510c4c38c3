import { loadWorkspaceCode } from '../build/load-workspace-code.mjs';
import fieldValues from './field-values.json' with { type: 'json' };
import outOfReach from './out-of-reach.json' with { type: 'json' };
import { sendRequest } from './send-request.mjs';

/** @import { Json, JsonObject, Template } from './case.ts' */

/**
 * @typedef {object} Example Values of fields that belong together, and what is connected to others.
 * @property {JsonObject} fields
 * @property {Readonly<Record<string, Source>>} wires
 *
 * @typedef {{ readonly kind: 'Message' | 'JSON' | 'Table', readonly value: Json }} Source
 *
 * @typedef {object} Catalog
 * @property {Readonly<Record<string, Template>>} templates the native types that the server has
 * @property {readonly string[]} local those whose flows run here: all but those of out-of-reach.json
 * @property {Readonly<Record<string, readonly Example[]>>} examples
 */

const code = `export { componentRegistry } from './libs/components/src/index';
export { findComponent } from './libs/flow/src/plan/find-component';
export { allCases } from './libs/python/src/testing/stock/cases/all-cases';
export { Several } from './libs/python/src/testing/stock/component-case';
export { Data, DataFrame, Message } from '@millrace/python-text';`;

/**
 * Reads the component templates of a Langflow, as its editor does, and keeps those of native types. Examples of values
 * are those of the tests that compare components with their classes, and those of field-values.json.
 * @param {{ readonly url: string, readonly key: string }} langflow
 * @returns {Promise<Catalog>}
 */
export async function readCatalog({ url, key }) {
  const workspace = await loadWorkspaceCode(code);
  const response = await sendRequest(`${url}/api/v1/all`, { headers: { 'x-api-key': key } });
  const categories = /** @type {Record<string, Record<string, Template>>} */ (await response.json());
  /** @type {Record<string, Template>} */
  const templates = {};
  /** @type {string[]} */
  const local = [];
  /** @type {Record<string, readonly Example[]>} */
  const examples = {};
  for (const [type, template] of Object.values(categories).flatMap((types) => Object.entries(types))) {
    const component = template.template && workspace.findComponent(workspace.componentRegistry, type);
    if (!component) continue;
    templates[type] = withOutputs(template, component);
    const own = /** @type {Record<string, readonly JsonObject[]>} */ (fieldValues)[type];
    if (!(type in outOfReach)) local.push(type);
    examples[type] = [
      ...(own ?? []).map(({ $wires: wires = {}, ...fields }) => ({
        fields,
        wires: /** @type {any} */ (wires),
      })),
      ...workspace.allCases
        .filter(
          (/** @type {any} */ tried) =>
            own === undefined && tried.type === component.type && tried.settings.history === undefined,
        )
        .map((/** @type {any} */ tried) => exampleOf(tried, workspace))
        .filter(
          (/** @type {Example | null} */ example) =>
            example !== null && Object.keys(example.wires).every((name) => name in template.template),
        ),
    ];
  }
  return { templates, local, examples };
}

/**
 * Returns a template whose outputs are those of the component when the editor chooses them by the values of fields.
 * @param {Template} template
 * @param {{ readonly outputs: Readonly<Record<string, { readonly types: readonly string[], readonly method?: string }>> }} component
 * @returns {Template}
 */
function withOutputs(template, { outputs }) {
  if (template.outputs.length > 0) return template;
  const own = Object.entries(outputs).map(([name, { types, method = `get_${name}` }]) => ({
    name,
    types,
    method,
  }));
  return { ...template, outputs: own };
}

/**
 * Returns the values of a case as JSON; null when JSON cannot express them.
 * @param {any} tried
 * @param {any} workspace
 * @returns {Example | null}
 */
function exampleOf({ fields, wires }, { Data, DataFrame, Message, Several }) {
  // Neither server lets a flow read the disk of the other.
  if (Object.keys(fields).some((name) => /_(?:path|file)$/.test(name))) return null;
  /**
   * @param {any} value
   * @returns {Source | null}
   */
  const source = (value) => {
    if (value instanceof Several) return source(value.values[0]);
    if (value instanceof Message) return { kind: 'Message', value: value.fields.text };
    if (value instanceof Data) return { kind: 'JSON', value: value.data };
    if (value instanceof DataFrame) return { kind: 'Table', value: value.rows };
    if (Array.isArray(value) && value.every((one) => one instanceof Data))
      return { kind: 'JSON', value: value.map(({ data }) => data) };
    return null;
  };
  const sources = Object.entries(wires).map(([name, value]) => /** @type {const} */ ([name, source(value)]));
  try {
    return JSON.parse(
      JSON.stringify({ fields, wires: Object.fromEntries(sources.filter(([, value]) => value !== null)) }),
    );
  } catch {
    // A whole number without bounds.
    return null;
  }
}
