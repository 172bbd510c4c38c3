import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DESCRIPTION_FILE, environmentStamp } from '../../libs/python/src/environment/environment-stamp.cjs';
import { messageOf } from '../workspace/error-fields.mjs';
import { findProgram } from '../services/find-program.mjs';
import { runCommand } from '../services/run-command.mjs';
import { failureReason, isDiskFull } from './failure-reason.mjs';
import { findPython } from '../services/find-python.mjs';
import { removeLeftovers, replaceFolder, rewritePaths } from './move-environment.mjs';
import { workerFolder } from './package-sets.mjs';
import { trimEnvironment } from './trim-environment.mjs';

/** @import { Python } from '../services/find-python.mjs' */

/**
 * @typedef {object} BuildOptions
 * @property {string} folder where the environment is built
 * @property {string} lockFile the packages, with hashes
 * @property {(line: string) => void} [print]
 * @property {AbortSignal} [signal] ends the build
 *
 * @typedef {object} Environment
 * @property {string} packageSet the name of its lock file
 * @property {string} lock the digest of its lock file
 * @property {string} stamp
 * @property {string} python
 * @property {string} lfx
 * @property {Readonly<Record<string, string>>} components
 * @property {readonly string[]} modules
 */

const INSTALL_DEADLINE_MILLISECONDS = 30 * 60_000;
const STEP_DEADLINE_MILLISECONDS = 10 * 60_000;
const MAXIMUM_DESCRIPTION_BYTES = 4 * 1024 * 1024;

const run = promisify(execFile);

/**
 * Builds an environment with the packages of a lock file, unless the folder has it already. It is built beside the folder
 * and then put into its place, so that the folder never has a part of one. Resolves to its description; rejects with one
 * sentence.
 * @param {BuildOptions} options
 * @returns {Promise<Environment>}
 */
export async function buildEnvironment({ folder, lockFile, print = console.log, signal }) {
  const lock = lockDigest(lockFile);
  removeLeftovers(folder);
  const current = readEnvironment(folder);
  if (current?.lock === lock) return current;
  requireReplaceable(folder);
  const python = await findPython();
  const built = `${folder}.new-${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  try {
    await install({ built, python, lockFile, print, signal });
    trimEnvironment(built);
    print('Compiling the packages');
    await compile(built, folder, signal);
    rewritePaths(built, folder);
    const environment = {
      ...(await describe(built, signal)),
      packageSet: basename(lockFile, '.lock'),
      lock,
      stamp: environmentStamp(built),
    };
    if (environment.lfx === '') throw new Error('The lock file does not contain lfx.');
    writeFileSync(join(built, DESCRIPTION_FILE), JSON.stringify(environment));
    replaceFolder(built, folder);
    return environment;
  } catch (error) {
    const reason = isDiskFull(messageOf(error)) ? 'The disk is full.' : messageOf(error);
    throw new Error(`The Python environment was not built. ${reason}`, { cause: error });
  } finally {
    rmSync(built, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Returns the description of the environment in a folder; undefined when there is none that is complete and current.
 * @param {string} folder
 * @returns {Environment | undefined}
 */
export function readEnvironment(folder) {
  try {
    /** @type {Environment} */
    const environment = JSON.parse(readFileSync(join(folder, DESCRIPTION_FILE), 'utf8'));
    return environment.stamp === environmentStamp(folder) ? environment : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} path of a lock file */
export const lockDigest = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/**
 * Throws when a folder has files that are not those of an environment.
 * @param {string} folder
 */
function requireReplaceable(folder) {
  if (!existsSync(folder) || existsSync(join(folder, 'pyvenv.cfg')) || readdirSync(folder).length === 0)
    return;
  throw new Error(`${folder} contains files that are no Python environment; choose another folder.`);
}

/**
 * @param {{ readonly built: string, readonly python: Python, readonly lockFile: string,
 *   readonly print: (line: string) => void, readonly signal?: AbortSignal }} options
 */
async function install({ built, python, lockFile, print, signal }) {
  const uv = findProgram('uv');
  const packages = ['--require-hashes', '--only-binary', ':all:', '--no-deps', '-r', lockFile];
  const interpreter = join(built, 'bin', 'python');
  print(`Installing packages with ${uv === undefined ? 'pip' : 'uv'} for Python ${python.version}`);
  if (uv !== undefined) {
    await step(uv, ['venv', '--quiet', '--python', python.path, built], signal);
    await step(uv, ['pip', 'install', '--quiet', '--python', interpreter, ...packages], signal);
    return;
  }
  if (!python.hasPip)
    throw new Error(
      `${python.path} cannot create environments. On Debian and Ubuntu: sudo apt-get install -y python3-venv`,
    );
  await step(python.path, ['-m', 'venv', built], signal);
  const pip = ['-I', '-m', 'pip', 'install', '--quiet', '--no-compile', '--no-input'];
  await step(interpreter, [...pip, '--disable-pip-version-check', ...packages], signal);
}

/**
 * Compiles all modules, as modules of the folder that they move to. Without compiled modules, each start of the worker
 * would compile all that it imports.
 * @param {string} built
 * @param {string} folder
 * @param {AbortSignal | undefined} signal
 */
async function compile(built, folder, signal) {
  const paths = ['-s', built, '-p', folder, join(built, 'lib')];
  // Copies of the folder keep the compiled modules, also when the sources get other times.
  const words = [
    '-I',
    '-m',
    'compileall',
    '-q',
    '-j',
    '0',
    '--invalidation-mode',
    'unchecked-hash',
    ...paths,
  ];
  try {
    await step(join(built, 'bin', 'python'), words, signal);
  } catch (error) {
    // Some packages contain templates with the names of modules, which cannot be compiled.
    if (signal?.aborted === true || isDiskFull(messageOf(error))) throw error;
  }
}

/**
 * @param {string} built
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Omit<Environment, 'lock' | 'stamp'>>}
 */
async function describe(built, signal) {
  const program = join(workerFolder, 'millrace_worker', 'environment.py');
  const { stdout } = await run(join(built, 'bin', 'python'), ['-I', '-B', program], {
    timeout: STEP_DEADLINE_MILLISECONDS,
    maxBuffer: MAXIMUM_DESCRIPTION_BYTES,
    signal,
  });
  return JSON.parse(stdout);
}

/**
 * Runs a program to its end. Rejects with one sentence from its output.
 * @param {string} program
 * @param {readonly string[]} words
 * @param {AbortSignal | undefined} signal
 */
async function step(program, words, signal) {
  const isInstallation = words.includes('install');
  const deadlineMilliseconds = isInstallation ? INSTALL_DEADLINE_MILLISECONDS : STEP_DEADLINE_MILLISECONDS;
  try {
    return await runCommand(program, words, { deadlineMilliseconds, signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${failureReason(messageOf(error))}.`, { cause: error });
  }
}
