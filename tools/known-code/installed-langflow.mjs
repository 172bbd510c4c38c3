import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addMembers, addNames } from './members-of-components.mjs';

/** @import { Members } from './members-of-components.mjs' */

/**
 * @typedef {{ readonly name: string, readonly document: { readonly data: { readonly nodes: readonly TemplateNode[] } } }} Template
 * @typedef {{ readonly type: string, readonly text: string }} Source
 * @typedef {{ readonly code?: { readonly value?: string } }} CodeTemplate
 *
 * @typedef {object} TemplateNode
 * @property {{ readonly type: string, readonly node?: NodeBody }} data
 *
 * @typedef {object} NodeBody
 * @property {CodeTemplate} [template]
 * @property {boolean} [edited]
 * @property {Template['document']} [flow] the flow of a group
 *
 * @typedef {{ readonly entries: readonly (readonly [string, Readonly<Record<string, { readonly template: CodeTemplate }>>])[] }} Index
 */

const INDEX = join('lfx', '_assets', 'component_index.json');
const TOOL_DATA = join('custom', 'custom_component', 'component.py');
/** Python sources whose models declare members, below lfx. */
const DECLARATIONS = /** @type {const} */ ([
  ['node', join('template', 'frontend_node', 'base.py')],
  ['field', join('inputs', 'input_mixin.py')],
]);
const TEMPLATES = join('langflow', 'initial_setup', 'starter_projects');

/**
 * Returns code hashes by component type from a site-packages folder: from the component index of lfx, the sources of
 * extension bundles, which have no index, and the unedited nodes of the starter templates. Throws when the folder has no
 * lfx.
 * @param {string} folder
 * @param {(text: string) => string} codeHash
 * @returns {Record<string, string[]>}
 */
export function readInstalledCode(folder, codeHash) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const [type, { template }] of readIndex(folder))
    if (template.code?.value) add(found, type, codeHash(template.code.value));
  for (const { type, text } of bundleSources(folder)) add(found, type, codeHash(text));
  for (const { document } of readTemplates(folder))
    for (const { type, text } of shippedSources(document.data.nodes)) add(found, type, codeHash(text));
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns the types and components of the index of lfx. Throws when the folder has no lfx.
 * @param {string} folder
 */
function readIndex(folder) {
  const index = join(folder, INDEX);
  if (!existsSync(index)) {
    throw new Error(
      `${folder} does not contain ${INDEX}: give the site-packages folder of Langflow 1.6 or newer`,
    );
  }
  /** @type {Index} */
  const { entries } = JSON.parse(readFileSync(index, 'utf8'));
  return entries.flatMap(([, components]) => Object.entries(components));
}

/**
 * Returns the names of the members that this Langflow saves in an export, by their place: those of its components and
 * starter templates, and those that its models declare, which are not saved while they have no value.
 * @param {string} folder
 * @returns {Members}
 */
export function readInstalledMembers(folder) {
  /** @type {Members} */
  const members = {};
  for (const [, component] of readIndex(folder)) addMembers(members, component);
  for (const { document } of readTemplates(folder)) addNodeMembers(members, document.data);
  for (const [place, file] of DECLARATIONS)
    addNames(members, place, declaredNames(join(folder, 'lfx', file)));
  const toolData =
    /def _build_tool_data\([\s\S]*?\n {8}\}/.exec(sourceOf(join(folder, 'lfx', TOOL_DATA)))?.[0] ?? '';
  addNames(
    members,
    'toolRow',
    [...toolData.matchAll(/^ +"(\w+)":/gm)].map(([, name = '']) => name),
  );
  return members;
}

/**
 * @param {Members} members
 * @param {Template['document']['data']} graph
 */
function addNodeMembers(members, graph) {
  addNames(members, 'graph', Object.keys(graph));
  for (const { data } of graph.nodes) {
    if (data.node?.template === undefined) continue;
    addNames(members, 'nodeData', Object.keys(data));
    addMembers(members, data.node);
    if (data.node.flow) addNodeMembers(members, data.node.flow.data);
  }
}

/**
 * Returns the names of the members that the models in a Python source declare, as JSON names them.
 * @param {string} file
 */
function declaredNames(file) {
  const names = [];
  for (const line of sourceOf(file).split('\n')) {
    const [, name] = /^ {4}([a-z]\w*): (?!ClassVar)/.exec(line) ?? [];
    const [, alias] = /alias="(\w+)"/.exec(line) ?? [];
    if (name !== undefined) names.push(alias ?? name);
  }
  return names;
}

/** @param {string} file */
function sourceOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/**
 * Returns the flows that Langflow ships, as { name, document }; none where only lfx is installed.
 * @param {string} folder
 * @returns {Template[]}
 */
export function readTemplates(folder) {
  const templates = join(folder, TEMPLATES);
  if (!existsSync(templates)) return [];
  return readdirSync(templates)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((name) => ({ name, document: JSON.parse(readFileSync(join(templates, name), 'utf8')) }));
}

/**
 * @param {Map<string, string[]>} found
 * @param {string} type
 * @param {string} hash
 */
function add(found, type, hash) {
  const hashes = found.get(type) ?? [];
  if (!hashes.includes(hash)) found.set(type, [...hashes, hash].sort());
}

/**
 * Yields the code of unedited nodes. Templates also contain code of earlier releases.
 * @param {readonly TemplateNode[]} nodes
 * @returns {Generator<Source>}
 */
function* shippedSources(nodes) {
  for (const { data } of nodes) {
    const { template, edited, flow } = data.node ?? {};
    if (flow) yield* shippedSources(flow.data.nodes);
    else if (template?.code?.value && edited !== true) yield { type: data.type, text: template.code.value };
  }
}

/**
 * Yields the code of extension bundles. A class of a bundle is the type `ext:<bundle>:<Class>@official`, and the code of
 * its node is the text of its file.
 * @param {string} folder
 * @returns {Generator<Source>}
 */
function* bundleSources(folder) {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith('lfx_'))) {
    const manifest = join(folder, name, 'extension.json');
    if (!existsSync(manifest)) continue;
    for (const bundle of JSON.parse(readFileSync(manifest, 'utf8')).bundles ?? []) {
      const sources = join(folder, name, bundle.path);
      if (!existsSync(sources)) continue;
      for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.endsWith('.py'),
      )) {
        const text = readFileSync(join(sources, file), 'utf8');
        for (const [, className] of text.matchAll(/^class (\w+)\(/gm))
          yield { type: `ext:${bundle.name}:${className}@official`, text };
      }
    }
  }
}
