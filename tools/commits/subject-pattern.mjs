import { IMPERATIVE_VERBS } from './imperative-verbs.mjs';

/** Types of changes that the history has. */
export const TYPES = [
  'bench',
  'build',
  'chore',
  'docs',
  'feat',
  'fix',
  'perf',
  'refactor',
  'revert',
  'style',
  'test',
];

const SCOPE = '[a-z0-9-]+';
const SUBJECT = new RegExp(`^(?:${TYPES.join('|')})(?:\\(${SCOPE}(?:,${SCOPE})*\\))?!?: (?<verb>\\S+)`);

/**
 * Returns what is wrong with the subject of a commit; undefined for a conventional one whose text is imperative, such as
 * `type: add …`, `type(scope): add …` or `type(scope)!: add …`.
 * @param {string} subject
 * @returns {'form' | 'verb' | undefined}
 */
export function faultOf(subject) {
  const { verb } = SUBJECT.exec(subject)?.groups ?? {};
  if (verb === undefined) return 'form';
  return IMPERATIVE_VERBS.has(verb.toLowerCase()) ? undefined : 'verb';
}
