// Not by name: this file is linked before an older Node is replaced.
import fs from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * Returns the test files that `words` name, as paths below the workspace; all files without words. A word is a project
 * such as `executor`, or a part of a path. Throws for a word that names no test.
 * @param {readonly string[]} words
 */
export function selectTests(words) {
  const all = fs.globSync('{apps,libs}/*/src/**/*.test.ts', { cwd: workspaceRoot }).sort();
  if (words.length === 0) return all;
  const projects = new Map(
    fs
      .globSync('{apps,libs}/*/jest.config.cjs', { cwd: workspaceRoot })
      .map((path) => [basename(dirname(path)), `${dirname(path)}/`]),
  );
  /**
   * @param {string} file
   * @param {string} word
   */
  const isChosen = (file, word) => {
    const folder = projects.get(word);
    if (folder !== undefined) return file.startsWith(folder);
    return file.includes(relative(workspaceRoot, resolve(workspaceRoot, word)));
  };
  for (const word of words)
    if (!all.some((file) => isChosen(file, word)))
      throw new Error(`"${word}" names no test; the projects are ${[...projects.keys()].sort().join(', ')}`);
  return all.filter((file) => words.some((word) => isChosen(file, word)));
}
