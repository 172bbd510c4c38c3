// Refuses the words of word-list.mjs in sources and documentation. Prints one line for each: file:line: word: what to
// write in its place. Exit status 1 when there is one.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { exceptions, words } from './word-list.mjs';

const TEXT_FILE = /\.(md|ts|tsx|mts|cts|py|js|mjs|cjs|sql|yml|yaml|sh)$|Dockerfile$/;
/** Migrations have checksums, so that their text cannot change. */
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'out-tsc', 'coverage', 'migrations']);
/** The list itself. */
const SKIPPED_FILES = new Set(['tools/prose/word-list.mjs', 'tools/prose/check-prose.mjs']);

/**
 * Words of the list in a text. Returns `{ line, word, instead }` for each; lines count from 1.
 * @param {string} text
 */
export function findWords(text) {
  const found = [];
  for (const [index, line] of text.split('\n').entries()) {
    let rest = line;
    for (const { text: allowed } of exceptions) rest = rest.replaceAll(allowed, '');
    for (const { pattern, instead } of patterns)
      for (const [word] of rest.matchAll(pattern)) found.push({ line: index + 1, word, instead });
  }
  return found;
}

const patterns = words.map(({ word, isPronoun, instead }) => ({
  pattern: isPronoun ? new RegExp(`\\b(?:${word})\\b`, 'gi') : patternOf(word),
  instead,
}));

/**
 * `told` matches `told`, `Told`, `TOLD`, `toldOf` and `isTold`, and not `untold`.
 * @param {string} word
 */
function patternOf(word) {
  const inner = word.replaceAll(' ', '\\s');
  const capitals = word
    .split('|')
    .map((one) => one[0].toUpperCase() + one.slice(1))
    .join('|')
    .replaceAll(' ', '');
  const upper = word.toUpperCase().replaceAll(' ', '[\\s_]');
  return new RegExp(
    `(?<![A-Za-z])(?:${inner})(?![a-z])|(?:${capitals})(?![a-z])|(?<![A-Za-z])(?:${upper})(?![A-Za-z])`,
    'g',
  );
}

/**
 * @param {string} folder
 * @returns {Generator<string>}
 */
function* textFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.') && !SKIPPED_FOLDERS.has(entry.name)) yield* textFiles(path);
    } else if (TEXT_FILE.test(entry.name) && !SKIPPED_FILES.has(relative(workspaceRoot, path))) yield path;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let count = 0;
  for (const path of textFiles(workspaceRoot))
    for (const { line, word, instead } of findWords(readFileSync(path, 'utf8'))) {
      count += 1;
      console.log(`${relative(workspaceRoot, path)}:${line}: ${word}: ${instead}`);
    }
  if (count > 0) console.log(`${count} words to replace`);
  process.exitCode = count > 0 ? 1 : 0;
}
