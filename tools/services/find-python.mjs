import { findProgram } from './find-program.mjs';
import { runCommand } from './run-command.mjs';

const OLDEST = 10;
const NEWEST = 14;
const DEADLINE_MILLISECONDS = 30_000;
/** Prints the minor version, and whether the interpreter can create environments that contain pip. */
const QUESTION =
  'import sys, importlib.util as u; print(*sys.version_info[:2], u.find_spec("ensurepip") is not None)';

/**
 * @typedef {object} Python
 * @property {string} path
 * @property {string} version such as "3.11"
 * @property {boolean} hasPip whether it can create environments that contain pip
 */

/**
 * Finds an interpreter that lfx supports: `python3`, else one with its version in its name. Rejects with one sentence when
 * there is none.
 * @returns {Promise<Python>}
 */
export async function findPython() {
  const names = ['python3'];
  for (let minor = NEWEST; minor >= OLDEST; minor -= 1) names.push(`python3.${minor}`);
  /** @type {string[]} */
  const unsupported = [];
  /** @type {Python | undefined} */
  let withoutPip;
  for (const name of names) {
    const path = findProgram(name);
    const found = path === undefined ? undefined : await ask(path);
    if (found === undefined) continue;
    if (!isSupported(found.version)) unsupported.push(`${found.path} is Python ${found.version}`);
    else if (found.hasPip) return found;
    else withoutPip ??= found;
  }
  if (withoutPip !== undefined) return withoutPip;
  const needed = `Python 3.${OLDEST} to 3.${NEWEST} is needed`;
  const found = unsupported.length === 0 ? 'python3 was not found' : unsupported.join(', ');
  throw new Error(`${needed}: ${found}. On Debian and Ubuntu: sudo apt-get install -y python3 python3-venv`);
}

/** @param {string} path */
async function ask(path) {
  try {
    const answer = await runCommand(path, ['-I', '-c', QUESTION], {
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
    });
    const [major, minor, hasPip] = answer.trim().split(' ');
    return { path, version: `${major}.${minor}`, hasPip: hasPip === 'True' };
  } catch {
    // A launcher without an interpreter behind it.
    return undefined;
  }
}

/** @param {string} version */
function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  return major === 3 && minor >= OLDEST && minor <= NEWEST;
}
