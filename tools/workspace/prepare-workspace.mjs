import './require-node-version.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lastChange } from '../build/bundle-sources.mjs';
import { installIfNeeded } from './install-if-needed.mjs';
import { oneAtATime } from './one-at-a-time.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** @typedef {(line: string) => void} Print */

/** The web console, which is built by Vite and needs none of the other sources. */
const CONSOLE = 'apps/console';
const consoleConfiguration = join(workspaceRoot, CONSOLE, 'vite.config.ts');
const servesConsole = new Set(['apps/gateway', 'apps/standalone']);
/** What Vite reads of it. */
const consoleSources = ['index.html', 'package.json', 'src', 'tsconfig.json', 'vite.config.ts'];
const common = ['package.json', 'package-lock.json', 'tsconfig.base.json', 'tools/build.mjs', 'tools/build'];
const onlyMissing = process.env.JEST_WORKER_ID !== undefined;

/**
 * Prepares the checkout: installs packages and, with `build`, bundles the applications whose bundle is older than the
 * sources, and the web console. `build` is true for all applications, or a list such as ['apps/standalone']. A command that
 * a test starts builds only what is missing: other tests run from the same bundles. Throws when either step fails.
 * @param {{ readonly build?: boolean | readonly string[], readonly print?: Print }} [options]
 */
export function prepareWorkspace({ build = false, print = console.log } = {}) {
  installIfNeeded(print);
  const wanted = build === true ? applications() : [...(build || [])];
  if (wanted.some((project) => servesConsole.has(project)) && existsSync(consoleConfiguration))
    wanted.push(CONSOLE);
  if (staleApplications(wanted).length === 0) return;
  oneAtATime('build', print, () => buildStale(staleApplications(wanted), print));
}

/**
 * Returns the applications whose bundle is missing or older than the sources.
 * @param {readonly string[]} wanted
 */
function staleApplications(wanted) {
  const newestOf = (/** @type {readonly string[]} */ paths) =>
    Math.max(...paths.map((path) => newestChange(join(workspaceRoot, path))));
  return wanted.filter((application) => {
    const output = join(workspaceRoot, 'dist', application);
    const isConsole = application === CONSOLE;
    const built = join(output, isConsole ? 'index.html' : 'main.cjs');
    if (!existsSync(built)) return true;
    if (onlyMissing) return false;
    const own = isConsole ? newestOf(consoleSources.map((path) => join(CONSOLE, path))) : lastChange(output);
    return statSync(built).mtimeMs < Math.max(newestOf(common), own);
  });
}

/**
 * @param {readonly string[]} stale
 * @param {Print} print
 */
function buildStale(stale, print) {
  if (stale.length === 0) return;
  print(`Building ${stale.map((path) => path.replace('apps/', '')).join(', ')}`);
  const { status } = spawnSync(process.execPath, [join(workspaceRoot, 'tools', 'build.mjs'), ...stale], {
    cwd: workspaceRoot,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The build failed.');
}

/** Returns the project roots of all applications that run as a process: `apps/gateway`, … */
function applications() {
  return readdirSync(join(workspaceRoot, 'apps'))
    .filter((name) => existsSync(join(workspaceRoot, 'apps', name, 'src', 'main.ts')))
    .map((name) => `apps/${name}`);
}

/**
 * @param {string} path
 * @returns {number}
 */
function newestChange(path) {
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  let newest = 0;
  for (const name of readdirSync(path)) newest = Math.max(newest, newestChange(join(path, name)));
  return newest;
}
