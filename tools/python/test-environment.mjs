import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { buildEnvironment, lockDigest, readEnvironment } from './build-environment.mjs';
import { defaultFolder, lockFile } from './package-sets.mjs';

/** Not the default folder, which can have another set of packages. tools/jest/test-python.cjs knows it, too. */
const testFolder = join(workspaceRoot, '.millrace', 'test-python');

/**
 * Returns the interpreter that tests use: the given one, or that of an environment with the minimal set. Returns undefined
 * when an environment has to be built first.
 */
export function readyTestPython() {
  if (process.env.TEST_PYTHON) return process.env.TEST_PYTHON;
  const lock = lockDigest(lockFile({ set: 'minimal' }));
  const folder = [defaultFolder, testFolder].find((path) => readEnvironment(path)?.lock === lock);
  return folder === undefined ? undefined : interpreter(folder);
}

/**
 * Builds the environment for tests. Resolves to its interpreter; rejects with one sentence.
 * @param {{ readonly signal: AbortSignal }} options
 */
export async function buildTestPython({ signal }) {
  const print = (/** @type {string} */ line) => console.log(`Python environment for tests: ${line}`);
  await buildEnvironment({ folder: testFolder, lockFile: lockFile({ set: 'minimal' }), print, signal });
  return interpreter(testFolder);
}

/** @param {string} folder */
function interpreter(folder) {
  return join(folder, 'bin', 'python');
}
