// Builds the environment of the Python worker from its lock file: `npm run python-environment -- [folder]`. Prints the
// path of its interpreter. Does nothing when the folder has the packages of this lock file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workspaceRoot } from './workspace-root.mjs';

const LOCK_FILE = join(workspaceRoot, 'apps/python-worker/requirements.lock');
const DEFAULT_FOLDER = join(workspaceRoot, '.millrace/python');

/** Returns the interpreter of an environment with the packages of the lock file. Throws when it cannot be built. */
export function pythonEnvironment(folder = DEFAULT_FOLDER) {
  const python = join(folder, 'bin/python');
  const mark = join(folder, 'lock.sha256');
  const digest = createHash('sha256').update(readFileSync(LOCK_FILE)).digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (hasUv()) {
    run('uv', ['venv', '--quiet', folder]);
    run('uv', ['pip', 'install', '--quiet', '--python', python, '--require-hashes', '-r', LOCK_FILE]);
  } else {
    run('python3', ['-m', 'venv', folder]);
    run(python, ['-m', 'pip', 'install', '--quiet', '--require-hashes', '-r', LOCK_FILE]);
  }
  // Without compiled modules, each start of the zygote would compile all that it imports.
  run(python, ['-m', 'compileall', '-q', join(folder, 'lib')]);
  writeFileSync(mark, digest);
  return python;
}

function hasUv() {
  try {
    execFileSync('uv', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} program
 * @param {string[]} options
 */
function run(program, options) {
  execFileSync(program, options, { stdio: ['ignore', 'ignore', 'inherit'] });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(pythonEnvironment(process.argv[2]));
