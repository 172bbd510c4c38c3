import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
  const index = join(folder, INDEX);
  if (!existsSync(index)) {
    throw new Error(
      `${folder} does not contain ${INDEX}: give the site-packages folder of Langflow 1.6 or newer`,
    );
  }
  /** @type {Map<string, string[]>} */
  const found = new Map();
  /** @type {Index} */
  const { entries } = JSON.parse(readFileSync(index, 'utf8'));
  for (const [, components] of entries)
    for (const [type, { template }] of Object.entries(components))
      if (template.code?.value) add(found, type, codeHash(template.code.value));
  for (const { type, text } of bundleSources(folder)) add(found, type, codeHash(text));
  for (const { document } of readTemplates(folder))
    for (const { type, text } of shippedSources(document.data.nodes)) add(found, type, codeHash(text));
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
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
