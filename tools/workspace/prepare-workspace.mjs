import './require-node-version.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { installIfNeeded } from './install-if-needed.mjs';
import { oneAtATime } from './one-at-a-time.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** @typedef {(line: string) => void} Print */

/** The web console, which other applications serve. */
const CONSOLE = 'apps/console';
/** What a checkout has that can build the console. */
const consolePage = join(workspaceRoot, CONSOLE, 'index.html');
const servesConsole = new Set(['apps/gateway', 'apps/standalone']);
/** Where the inputs of a build are. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'tools/build.mjs',
  'tools/build',
  'apps',
  'libs',
];
/** Files in these folders that no bundle contains. */
const NOT_BUNDLED = /\.(?:test|contract)\.tsx?$|\.md$|\.pyc$/;
const BUILD_MILLISECONDS = 10 * 60_000;
const onlyMissing = process.env.JEST_WORKER_ID !== undefined;

/**
 * Prepares the checkout: installs packages and, with `build`, bundles the applications that are missing or older than a source.
 * `build` is true for all applications, or a list such as ['apps/standalone']. With `onlyRun`, the packages of development are not
 * installed. A command that a test starts builds only what is missing: other tests run from the same bundles. Throws when either
 * step fails.
 * @param {{ readonly build?: boolean | readonly string[], readonly onlyRun?: boolean, readonly print?: Print }} [options]
 */
export function prepareWorkspace({ build = false, onlyRun = false, print = console.log } = {}) {
  installIfNeeded({ onlyRun, print });
  const wanted = build === true ? applications() : [...(build || [])];
  if (wanted.some((project) => servesConsole.has(project)) && existsSync(consolePage)) wanted.push(CONSOLE);
  if (outdated(wanted).length === 0) return;
  oneAtATime('build', print, () => {
    const projects = outdated(wanted);
    if (projects.length === 0) return;
    print(`Building ${projects.map((path) => path.replace('apps/', '')).join(', ')}`);
    buildProjects(projects);
  });
}

/** Installs packages where they are missing and bundles all applications. */
export function buildWorkspace() {
  installIfNeeded({ onlyRun: true });
  oneAtATime('build', console.log, () => buildProjects([...applications(), CONSOLE]));
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
 * Bundles in a process of its own, since its packages can have been installed after this one started.
 * @param {readonly string[]} projects
 */
function buildProjects(projects) {
  const started = new Date();
  const { status, error } = spawnSync(process.execPath, [join('tools', 'build.mjs'), ...projects], {
    cwd: workspaceRoot,
    // To standard error: a program can read the output of this one.
    stdio: ['ignore', 2, 'inherit'],
    timeout: BUILD_MILLISECONDS,
  });
  if (status !== 0) throw new Error(`The build failed${error === undefined ? '.' : `: ${error.message}`}`);
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
    if (name !== '__pycache__' && !NOT_BUNDLED.test(name))
      newest = Math.max(newest, lastChange(join(path, name)));
  return newest;
}
