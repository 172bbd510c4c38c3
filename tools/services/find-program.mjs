import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const extraFolders = [
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  '/opt/homebrew/bin',
  '/opt/homebrew/sbin',
  '/usr/local/bin',
];

/**
 * Returns the path of the first of these programs that is installed; undefined when none is.
 * @param {...string} names
 */
export function findProgram(...names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...extraFolders];
  for (const name of names)
    for (const folder of folders) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
  return undefined;
}

/**
 * As findProgram; throws when none of them is installed.
 * @param {...string} names
 */
export function requireProgram(...names) {
  const path = findProgram(...names);
  if (path === undefined) throw new Error(`not installed: ${names.join(' or ')}`);
  return path;
}

/**
 * Returns the entries of a folder that begin with `start`, newest version first; none when the folder is missing.
 * @param {string} parent
 * @param {string} [start]
 */
export function versionFolders(parent, start = '') {
  if (!existsSync(parent)) return [];
  const byVersion = new Intl.Collator('en', { numeric: true });
  return readdirSync(parent)
    .filter((name) => name.startsWith(start))
    .sort((left, right) => byVersion.compare(right, left))
    .map((name) => join(parent, name));
}
