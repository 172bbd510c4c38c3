import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** The Markdown files that become pages of the guide. */
const SOURCES = [
  '*.md',
  'docs/**/*.md',
  'examples/README.md',
  'apps/*/README.md',
  'libs/*/README.md',
  'tests/README.md',
  'tests/*/README.md',
  'bench/README.md',
  'chaos/README.md',
];
/** The index of the documentation is the first page of the guide, and says what the README of the repository says. */
const FIRST = 'docs/README.md';
const LEFT_OUT = 'README.md';

/**
 * Returns the path of the page that a Markdown file of the workspace becomes: docs/use/errors.md is use/errors.md, and a
 * README the index of its folder.
 * @param {string} source
 */
function pathOf(source) {
  const path = source.replace(/^docs\//, '');
  const name = posix.basename(path);
  return posix.join(posix.dirname(path), name === 'README.md' ? 'index.md' : name.toLowerCase());
}

/** Returns each Markdown file with the path of its page, both with `/` as separators. */
export function sitePages() {
  const sources = globSync(SOURCES, { cwd: workspaceRoot }).map((path) => path.replaceAll('\\', '/'));
  return new Map(
    sources
      .filter((source) => source !== LEFT_OUT)
      .sort()
      .map((source) => [source, pathOf(source)]),
  );
}

/**
 * Returns the page to which a relative link of a Markdown file leads, with the anchor, from the root of the guide; null when the
 * file is no page, such as source text.
 * @param {string} source
 * @param {string} link
 * @param {ReadonlyMap<string, string>} pages
 */
export function linkedPage(source, link, pages) {
  const [path = '', anchor] = link.split('#');
  let target = path === '' ? source : posix.join(posix.dirname(source), decodeURIComponent(path));
  if (target === LEFT_OUT) target = FIRST;
  const file = new URL(target, `file://${workspaceRoot}/`);
  if (existsSync(file) && statSync(file).isDirectory()) target = posix.join(target, 'README.md');
  const page = pages.get(target);
  return page === undefined ? null : `/${page}${anchor === undefined ? '' : `#${anchor}`}`;
}

/**
 * Returns the text of the first heading.
 * @param {string} source
 */
export function titleOf(source) {
  const text = readFileSync(new URL(source, `file://${workspaceRoot}/`), 'utf8');
  return (/^# (.+)$/m.exec(text)?.[1] ?? source).replaceAll('`', '');
}
