// `npm run python-environment`: builds the environment of the Python worker from its lock file, and prints the path of
// its interpreter. Does nothing when the folder has the packages of this lock file.
import './require-node-version.mjs';
import './print-uncaught-errors.mjs';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { workspaceRoot } from './workspace-root.mjs';

const LOCK_FILE = join(workspaceRoot, 'apps/python-worker/requirements.lock');

const { values: flags } = readCommandLine({
  usage: `npm run python-environment -- [options]
  --folder <folder>  where the environment is built; default .millrace/python
  --help`,
  options: { folder: { type: 'string', default: join(workspaceRoot, '.millrace', 'python') } },
});

console.log(pythonEnvironment(flags.folder));

/**
 * Returns the interpreter of an environment with the packages of the lock file. Throws when it cannot be built.
 * @param {string} folder
 */
function pythonEnvironment(folder) {
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
