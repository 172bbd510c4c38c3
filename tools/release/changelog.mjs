/** @typedef {'major' | 'minor' | 'patch'} Bump */
/** @typedef {{ readonly bump: Bump, readonly text: string }} Plan A version plan: what a change means for callers. */

const UNRELEASED = '## Unreleased\n';
/** The heading of entries, by what their change means. */
const HEADINGS = { major: '### Changed', minor: '### Added', patch: '### Fixed' };

/**
 * Reads a version plan, as `nx release plan` writes it. Throws for another text.
 * @param {string} name of the file
 * @param {string} source
 * @returns {Plan}
 */
export function readPlan(name, source) {
  const [, bump = '', text = ''] =
    /^---\n(?:__default__|millrace): *(major|minor|patch)\n---\n([^]*)$/.exec(source) ?? [];
  if (bump === '' || text.trim() === '')
    throw new Error(`${name} is no version plan: write one with "nx release plan <major|minor|patch>"`);
  return { bump: /** @type {Bump} */ (bump), text: text.trim() };
}

/**
 * Returns the changelog with the entries of the plans below those of `Unreleased`, and all of these below the heading of a
 * release. `Unreleased` stays, and is empty.
 * @param {string} changelog
 * @param {{ readonly version: string, readonly date: string, readonly plans: readonly Plan[] }} release
 */
export function addRelease(changelog, { version, date, plans }) {
  const [before, rest] = changelog.split(UNRELEASED);
  if (rest === undefined) throw new Error('CHANGELOG.md has no heading "## Unreleased"');
  const end = rest.search(/^## /m);
  const [entries, earlier] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)];
  const all = plans.reduce(addEntry, entries.trim());
  return `${before}${UNRELEASED}\n## ${version} (${date})\n\n${all}\n${earlier === '' ? '' : `\n${earlier}`}`;
}

/**
 * Returns the notes of a release: what is below its heading, or below `Unreleased` before the release is cut.
 * @param {string} changelog
 * @param {string} version
 */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m);
  const found = [version, 'Unreleased'].map((name) =>
    sections.find((text) => /^\S+/.exec(text)?.[0] === name),
  );
  const section = found.find((text) => text !== undefined);
  if (section === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version}"`);
  return section.slice(section.indexOf('\n')).trim();
}

/**
 * @param {string} entries
 * @param {Plan} plan
 */
function addEntry(entries, { bump, text }) {
  const heading = HEADINGS[bump];
  const entry = `- ${text.replaceAll('\n', '\n  ')}`;
  const start = entries.split('\n').indexOf(heading);
  if (start < 0) return `${entries}\n\n${heading}\n\n${entry}`.trim();
  const lines = entries.split('\n');
  const next = lines.findIndex((line, index) => index > start && line.startsWith('### '));
  const before = lines.slice(0, next < 0 ? lines.length : next);
  const after = next < 0 ? [] : ['', ...lines.slice(next)];
  return [...before.join('\n').trimEnd().split('\n'), entry, ...after].join('\n');
}
