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
const SUBJECT = new RegExp(`^(?:${TYPES.join('|')})(?:\\(${SCOPE}(?:,${SCOPE})*\\))?!?: \\S`);

/**
 * Returns whether the subject of a commit is conventional: `type: …`, `type(scope): …` or `type(scope)!: …`.
 * @param {string} subject
 */
export function isConventional(subject) {
  return SUBJECT.test(subject);
}
