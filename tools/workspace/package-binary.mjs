import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from './workspace-root.mjs';

/**
 * Returns the script of a command of an installed package, to run it with this Node and without a shell.
 * @param {string} name
 * @param {string} [command]
 * @returns {string}
 */
export function packageBinary(name, command = name) {
  const folder = join(workspaceRoot, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}
