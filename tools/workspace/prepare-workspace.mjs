import './require-node-version.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { installIfNeeded } from './install-if-needed.mjs';
import { oneAtATime } from './one-at-a-time.mjs';
import { packageBinary } from './package-binary.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** @typedef {(line: string) => void} Print */

/** The web console, which other applications serve. */
const CONSOLE = 'apps/console';
const consoleConfiguration = join(workspaceRoot, CONSOLE, 'vite.config.ts');
const servesConsole = new Set(['apps/gateway', 'apps/standalone']);
/** Where the inputs of a build are, as `nx.json` names them. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'nx.json',
  'tools/build.mjs',
  'tools/build',
  'apps',
  'libs',
];
const onlyMissing = process.env.JEST_WORKER_ID !== undefined;

/**
 * Prepares the checkout: installs packages and, with `build`, lets Nx build applications. `build` is true for all
 * applications, or a list such as ['apps/standalone']. Nx takes one to two seconds also when it has nothing to build, and
 * it replaces the bundles of its cache, from which another command can run; therefore it is not asked while no source is
 * newer than the bundles. A command that a test starts builds only what is missing: other tests run from the same bundles.
 * Throws when either step fails.
 * @param {{ readonly build?: boolean | readonly string[], readonly print?: Print }} [options]
 */
export function prepareWorkspace({ build = false, print = console.log } = {}) {
  installIfNeeded(print);
  const wanted = build === true ? applications() : [...(build || [])];
  if (wanted.some((project) => servesConsole.has(project)) && existsSync(consoleConfiguration))
    wanted.push(CONSOLE);
  if (outdated(wanted).length === 0) return;
  oneAtATime('build', print, () => {
    const projects = outdated(wanted);
    if (projects.length === 0) return;
    print(`Building ${projects.map((path) => path.replace('apps/', '')).join(', ')}`);
    buildWithNx(projects, { isQuiet: true });
  });
}

/** Installs packages where they are missing and lets Nx build all applications, with its output. */
export function buildWorkspace() {
  installIfNeeded();
  oneAtATime('build', console.log, () => buildWithNx([...applications(), CONSOLE], { isQuiet: false }));
}

/**
 * Returns the applications that are not built, or built before the last change of a source.
 * @param {readonly string[]} wanted
 */
function outdated(wanted) {
  const missing = wanted.filter((project) => !existsSync(builtFile(project)));
  if (onlyMissing || missing.length === wanted.length) return missing;
  const changed = Math.max(...SOURCES.map((path) => lastChange(join(workspaceRoot, path))));
  return wanted.filter(
    (project) => missing.includes(project) || statSync(builtFile(project)).mtimeMs < changed,
  );
}

/** @param {string} project */
function builtFile(project) {
  return join(workspaceRoot, 'dist', project, project === CONSOLE ? 'index.html' : 'main.cjs');
}

/**
 * @param {readonly string[]} projects
 * @param {{ readonly isQuiet: boolean }} options `isQuiet`: prints only what a build that fails prints
 */
function buildWithNx(projects, { isQuiet }) {
  const started = new Date();
  const names = projects.map((project) => project.replace('apps/', '@millrace/'));
  const words = ['run-many', '--targets=build', `--projects=${names.join(',')}`, '--outputStyle=static'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [packageBinary('nx'), ...words], {
    cwd: workspaceRoot,
    encoding: 'utf8',
    stdio: ['ignore', isQuiet ? 'pipe' : 'inherit', isQuiet ? 'pipe' : 'inherit'],
    // Its plugins in one process, which takes half the time.
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', NX_ISOLATE_PLUGINS: 'false' },
  });
  if (status !== 0) throw new Error(`${isQuiet ? `${stdout}${stderr}` : ''}The build failed.`);
  // What has changed since then can be missing in the bundles.
  for (const project of projects) utimesSync(builtFile(project), started, started);
}

/** Returns the project roots of all applications that run as a process: `apps/gateway`, … */
function applications() {
  return readdirSync(join(workspaceRoot, 'apps'))
    .filter((name) => existsSync(join(workspaceRoot, 'apps', name, 'src', 'main.ts')))
    .map((name) => `apps/${name}`);
}

/**
 * Returns when a file or folder below a path was last changed, in milliseconds. Files are added to a folder and removed
 * from it as changes of the folder.
 * @param {string} path
 * @returns {number}
 */
function lastChange(path) {
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  let newest = status.mtimeMs;
  for (const name of readdirSync(path))
    if (name !== '__pycache__') newest = Math.max(newest, lastChange(join(path, name)));
  return newest;
}
