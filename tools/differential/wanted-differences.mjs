import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** @import { Difference, OpenDifference, WantedDifference } from './case.ts' */

const REASONS = ["Langflow's fault", "editor's", 'our guarantee'];

/**
 * Reads the list of wanted differences. Throws when an entry has an unknown reason, or names a text that its page does not
 * contain.
 * @returns {readonly WantedDifference[]}
 */
export function readWanted() {
  /** @type {readonly WantedDifference[]} */
  const wanted = JSON.parse(readFileSync(join(import.meta.dirname, 'wanted.json'), 'utf8'));
  const page = readFileSync(join(workspaceRoot, 'docs', 'use', 'compatibility.md'), 'utf8').replaceAll(
    /\s+/g,
    ' ',
  );
  for (const entry of wanted) {
    const name = `wanted difference ${entry.route} ${entry.member}`;
    if (!REASONS.includes(entry.reason))
      throw new Error(`${name}: the reason must be one of ${REASONS.join(', ')}`);
    if (!page.includes(entry.page))
      throw new Error(`${name}: compatibility.md does not contain "${entry.page}"`);
  }
  return wanted;
}

/**
 * Reads the list of known defects. Throws for one that does not say what it is.
 * @returns {readonly OpenDifference[]}
 */
export function readOpen() {
  /** @type {readonly OpenDifference[]} */
  const open = JSON.parse(readFileSync(join(import.meta.dirname, 'open.json'), 'utf8'));
  for (const { route, member, why } of open)
    if (typeof why !== 'string' || why === '')
      throw new Error(`open difference ${route} ${member}: without why`);
  return open;
}

/**
 * Divides the differences of a case with components of these types: `rest` are those that no entry wants, `hiddenBy` the numbers of the entries that want the others.
 * @param {readonly Difference[]} differences
 * @param {readonly Omit<WantedDifference, 'reason' | 'page'>[]} wanted
 * @param {readonly string[]} [types]
 */
export function divideDifferences(differences, wanted, types = []) {
  /** @type {Set<number>} */
  const hiddenBy = new Set();
  const rest = differences.filter((difference) => {
    const index = wanted.findIndex(
      (entry) =>
        (entry.type === undefined || types.some((type) => matches(entry.type ?? '*', type))) &&
        isWanted(difference, entry) &&
        hasOther(differences, entry),
    );
    if (index >= 0) hiddenBy.add(index);
    return index < 0;
  });
  return { rest, hiddenBy: [...hiddenBy].sort((one, other) => one - other) };
}

/**
 * @param {Difference} difference
 * @param {Omit<WantedDifference, 'reason' | 'page'>} entry
 */
function isWanted(difference, entry) {
  if (!matches(entry.route, difference.route) || !matches(entry.member, difference.path)) return false;
  return entry.condition === undefined || matches(entry.condition, conditionOf(difference));
}

/** @param {Difference} difference */
const conditionOf = ({ kind, left, right }) => `${kind} ${text(left)} > ${text(right)}`;

/**
 * @param {readonly Difference[]} differences
 * @param {Omit<WantedDifference, 'reason' | 'page'>} entry
 */
const hasOther = (differences, { beside }) =>
  beside === undefined ||
  differences.some((one) =>
    [one.path, `${one.path} ${conditionOf(one)}`].some((name) => matches(beside, name)),
  );

/** @param {unknown} value */
const text = (value) => (value === undefined ? 'absent' : JSON.stringify(value));

/**
 * Whether a pattern, in which `*` is any text, is the whole of a text.
 * @param {string} pattern
 * @param {string} whole
 */
function matches(pattern, whole) {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(whole);
}
