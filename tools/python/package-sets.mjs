import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** The folder with the Python worker and its lock files. */
export const workerFolder = join(workspaceRoot, 'apps', 'python-worker');

/** Where commands and tests look for the environment unless they are given another folder. */
export const defaultFolder = join(workspaceRoot, '.millrace', 'python');

export const setNames = /** @type {const} */ (['minimal', 'standard']);

const locks = { minimal: 'requirements.lock', standard: 'requirements-standard.lock' };

/**
 * Returns the path of the lock file of a set; `requirements`, the path of a lock file, takes its place when given. Throws
 * when both are given, or the file does not exist.
 * @param {{ readonly set?: (typeof setNames)[number], readonly requirements?: string }} options
 */
export function lockFile({ set, requirements }) {
  if (!requirements) return join(workerFolder, locks[set ?? 'minimal']);
  if (set !== undefined)
    throw new Error(
      'Give a set or a file with requirements (--requirements, MILLRACE_PYTHON_REQUIREMENTS), not both.',
    );
  const path = resolve(process.env.INIT_CWD ?? '.', requirements);
  if (!existsSync(path)) throw new Error(`${path} does not exist.`);
  return path;
}
