// Not by name: this file is linked before an older Node is replaced.
import fs from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** Projects with tests: their names, and their folders with a slash. Those inside of another one's folder come first. */
const projects = fs
  .globSync('{apps/*,libs/*,tests,tests/*}/jest.config.cjs', { cwd: workspaceRoot })
  .map(dirname)
  .sort()
  .reverse()
  .map((folder) => ({ name: nameOf(folder), folder: `${folder}/` }));

/**
 * Returns the test files that `words` name, as paths below the workspace; all files without words. A word is a project
 * such as `executor`, or a part of a path. Throws for a word that names no test.
 * @param {readonly string[]} words
 */
export function selectTests(words) {
  const all = fs
    .globSync(['{apps,libs}/*/src/**/*.test.ts', 'tests/**/*.test.ts'], { cwd: workspaceRoot })
    .sort();
  if (words.length === 0) return all;
  const names = projects.map(({ name }) => name).sort();
  /**
   * @param {string} file
   * @param {string} word
   */
  const isChosen = (file, word) =>
    names.includes(word)
      ? projectOf(file) === word
      : file.includes(relative(workspaceRoot, resolve(workspaceRoot, word)));
  for (const word of words)
    if (!all.some((file) => isChosen(file, word)))
      throw new Error(`"${word}" names no test; the projects are ${names.join(', ')}`);
  return all.filter((file) => words.some((word) => isChosen(file, word)));
}

/**
 * Returns the project that a test file belongs to.
 * @param {string} file
 */
export function projectOf(file) {
  return projects.find(({ folder }) => file.startsWith(folder))?.name;
}

/** @param {string} folder */
function nameOf(folder) {
  /** @type {{ readonly name: string }} */
  const { name } = JSON.parse(fs.readFileSync(join(workspaceRoot, folder, 'package.json'), 'utf8'));
  return name.replace('@millrace/', '');
}
