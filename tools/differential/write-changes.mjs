import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @import { Change, LangflowChanges } from './compare-langflows.mjs' */

const SHOWN_CHARACTERS = 100;

/**
 * Writes changes.json and changes.md. Returns the counts as lines.
 * @param {string} folder
 * @param {LangflowChanges} changes
 */
export function writeChanges(folder, changes) {
  writeFileSync(join(folder, 'changes.json'), JSON.stringify(changes, null, 1));
  writeFileSync(join(folder, 'changes.md'), markdown(changes));
  const { routes, schemas, components, fields, outputs, marks, texts, unlisted } = changes;
  const natives = (/** @type {readonly { readonly isNative: boolean }[]} */ list) =>
    list.filter(({ isNative }) => isNative).length;
  return [
    `routes: ${routes.added.length} added, ${routes.clients.length} of them for clients, ${routes.removed.length} removed`,
    `schemas of routes for clients: ${schemas.length} changed`,
    `components: ${components.added.length} added, ${components.removed.length} removed`,
    `fields: of ${fields.length} components, ${natives(fields)} of them native`,
    `outputs: of ${outputs.length} components, ${natives(outputs)} of them native`,
    `marks: of ${marks.length} components, ${natives(marks)} of them native`,
    `texts: of ${texts.length} components, ${natives(texts)} of them native`,
    `texts that are not listed here: ${unlisted.length}, ${natives(unlisted)} of them native`,
  ];
}

/** @param {LangflowChanges} changes */
function markdown({ before, after, routes, schemas, components, fields, outputs, marks, texts, unlisted }) {
  const lists = [
    list('Routes that came', routes.added),
    list('Routes that went', routes.removed),
    list(
      'Schemas of routes for clients',
      schemas.map((entry) => `${entry.route}${lines(entry.changes)}`),
    ),
    list('Components that came', components.added),
    list('Components that went', components.removed),
    ...Object.entries({ Fields: fields, Outputs: outputs, Marks: marks }).map(([title, entries]) =>
      list(
        title,
        entries.map((entry) => `${named(entry)}${lines(entry.changes)}`),
      ),
    ),
    list(
      'Texts',
      texts.map((entry) => `${named(entry)}: ${entry.before} > ${entry.after}${listed(entry)}`),
    ),
    list(
      'Texts that are not listed here',
      unlisted.map((entry) => `${named(entry)}: ${entry.text}`),
    ),
  ];
  return `# Langflow ${before} and ${after}\n\n${lists.join('\n')}`;
}

/**
 * @param {string} title
 * @param {readonly string[]} entries
 */
const list = (title, entries) =>
  `## ${title}: ${entries.length}\n\n${entries.map((entry) => `- ${entry}\n`).join('')}`;

/** @param {{ readonly type: string, readonly isNative: boolean }} entry */
const named = ({ type, isNative }) => (isNative ? `${type} (native)` : type);

/** @param {{ readonly isListed: boolean }} entry */
const listed = ({ isListed }) => (isListed ? '' : ', not listed');

/** @param {readonly Change[]} changes */
const lines = (changes) =>
  changes.map(({ path, before, after }) => `\n  - ${path}: ${shown(before)} > ${shown(after)}`).join('');

/** @param {unknown} value */
function shown(value) {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
