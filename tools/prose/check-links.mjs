// Checks that each relative link of a Markdown file leads to a file, and its anchor to a heading. Prints one line for each
// that does not: file:line: link. Exit status 1 when there is one. Links to other hosts are not followed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const LINK = /!?\[[^\]]*\]\(<?([^()\s<>]+)>?(?:\s+"[^"]*")?\)/g;

/**
 * Anchors of the headings of a Markdown text, as code hosts form them.
 * @param {string} text
 * @returns {Set<string>}
 */
function anchorsOf(text) {
  const anchors = new Set();
  for (const [, heading] of withoutCode(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/**
 * Blanks code blocks, and keeps their line breaks.
 * @param {string} text
 */
function withoutCode(text) {
  return text.replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, (block) => block.replaceAll(/[^\n]/g, ''));
}

/** @type {Map<string, Set<string>>} */
const anchorsByFile = new Map();

/**
 * @param {string} path
 * @param {string} anchor
 */
function hasAnchor(path, anchor) {
  let anchors = anchorsByFile.get(path);
  if (anchors === undefined) {
    anchors = anchorsOf(readFileSync(path, 'utf8'));
    anchorsByFile.set(path, anchors);
  }
  return anchors.has(decodeURIComponent(anchor));
}

/**
 * @param {string} file absolute path of the Markdown file
 * @param {string} link
 */
function isBroken(file, link) {
  if (/^[a-z][a-z\d+.-]*:/i.test(link)) return false;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : join(dirname(file), decodeURIComponent(path));
  if (!existsSync(target)) return true;
  if (anchor === undefined || !target.endsWith('.md') || !statSync(target).isFile()) return false;
  return !hasAnchor(target, anchor);
}

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: workspaceRoot,
  encoding: 'utf8',
})
  .split('\0')
  .filter((name) => name !== '')
  .map((name) => join(workspaceRoot, name))
  .filter((path) => existsSync(path));
let broken = 0;
for (const file of files) {
  for (const [index, line] of withoutCode(readFileSync(file, 'utf8')).split('\n').entries()) {
    for (const [, link] of line.replaceAll(/`[^`]*`/g, '').matchAll(LINK)) {
      if (!isBroken(file, link)) continue;
      broken += 1;
      console.log(`${relative(workspaceRoot, file)}:${index + 1}: ${link}`);
    }
  }
}
if (broken > 0) process.exitCode = 1;
else console.log(`The relative links of ${files.length} Markdown files lead to files and headings.`);
