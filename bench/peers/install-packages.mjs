import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../tools/workspace/error-fields.mjs';
import { findPython } from '../../tools/services/find-python.mjs';
import { runCommand } from '../../tools/services/run-command.mjs';

/**
 * @typedef {object} InstallOptions
 * @property {(line: string) => void} print
 * @property {AbortSignal} signal ends the installation
 */

const INSTALL_DEADLINE_MILLISECONDS = 30 * 60_000;

/**
 * Installs packages with npm in a folder of their own, unless it has these versions. Rejects with one sentence.
 * @param {string} folder
 * @param {Readonly<Record<string, string>>} packages exact versions by name
 * @param {InstallOptions} options
 */
export async function installWithNpm(folder, packages, { print, signal }) {
  const entries = Object.entries(packages);
  if (entries.every(([name, version]) => npmVersion(folder, name) === version)) return;
  const names = entries.map(([name, version]) => `${name}@${version}`);
  print(`Installing ${names.join(', ')} in ${folder}`);
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true}\n');
  const words = ['install', '--ignore-scripts', '--save-exact', '--no-audit', '--no-fund'];
  await step('npm', [...words, '--prefix', folder, ...names], signal);
}

/**
 * Installs a package of PyPI in a virtual environment of its own, unless it has this version. Rejects with one sentence.
 * uv installs it, because pip takes many minutes to resolve the packages that a large one needs.
 * @param {string} folder
 * @param {string} name
 * @param {string} version
 * @param {InstallOptions} options
 */
export async function installWithPython(folder, name, version, { print, signal }) {
  // Written last, so that an installation that was interrupted is continued.
  const mark = join(folder, 'installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === `${name}==${version}`) return;
  print(`Installing ${name}==${version} in ${folder}; this takes minutes and gigabytes`);
  mkdirSync(folder, { recursive: true });
  const { path } = await findPython();
  const environment = join(folder, 'venv');
  const python = join(environment, 'bin', 'python');
  if (!existsSync(python)) await step(path, ['-m', 'venv', environment], signal);
  await step(python, ['-m', 'pip', 'install', '--quiet', 'uv'], signal);
  const words = ['-m', 'uv', 'pip', 'install', '--quiet', '--python', python];
  await step(python, [...words, `${name}==${version}`], signal);
  writeFileSync(mark, `${name}==${version}`);
}

/**
 * Returns the version of a package that npm installed in a folder.
 * @param {string} folder
 * @param {string} name
 * @returns {string | undefined}
 */
function npmVersion(folder, name) {
  const manifest = join(folder, 'node_modules', name, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
}

/**
 * @param {string} program
 * @param {readonly string[]} words
 * @param {AbortSignal} signal
 */
async function step(program, words, signal) {
  await runCommand(program, words, { deadlineMilliseconds: INSTALL_DEADLINE_MILLISECONDS, signal }).catch(
    (error) => {
      // The last line of npm, pip and uv names the cause, or where the log is.
      const lines = messageOf(error).trim().split('\n');
      const cause = lines.findLast((line) => /error|ERR|no such|not found/i.test(line)) ?? lines.at(-1);
      throw new Error(`${lines[0]}: ${cause?.trim()}`, { cause: error });
    },
  );
}
