import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const LIST = 'sources.json';
const WORKER = join('apps', 'python-worker', 'millrace_worker');

/** @typedef {{ readonly modules: readonly string[], readonly files: readonly string[] }} Sources Paths below the workspace. */

/**
 * Returns the files of projects that their code reads at run time, which a build copies: SQL migrations, worker scripts
 * and the package of the Python worker. Nothing else in these folders counts, such as what Python has compiled.
 * @param {Iterable<string>} projects
 */
export function runtimeFiles(projects) {
  return [...projects]
    .sort()
    .flatMap((project) => [
      ...filesBelow(join(project, 'migrations'), '.sql'),
      ...filesBelow(join(project, 'src'), '-worker.cjs'),
      ...(project === join('libs', 'python') ? filesBelow(WORKER, '.py') : []),
    ]);
}

/**
 * Returns where a build copies one of these files to, below the folder of the bundle.
 * @param {string} path
 */
export function runtimePath(path) {
  if (path.endsWith('-worker.cjs')) return basename(path);
  if (path.endsWith('.sql')) return join('migrations', basename(path));
  return join('python-worker', relative(join('apps', 'python-worker'), path));
}

/**
 * Writes beside a bundle which files it was made from.
 * @param {string} output folder of the bundle
 * @param {readonly string[]} modules
 */
export function recordSources(output, modules) {
  /** @type {Sources} */
  const sources = { modules, files: runtimeFiles(projectsOf(modules)) };
  writeFileSync(join(output, LIST), JSON.stringify(sources));
}

/**
 * Returns when a file that the bundle was made from has changed last, in milliseconds; Infinity when files were added or
 * removed, or the bundle has no list of its files.
 * @param {string} output folder of the bundle
 */
export function lastChange(output) {
  if (!existsSync(join(output, LIST))) return Infinity;
  /** @type {Sources} */
  const { modules, files } = JSON.parse(readFileSync(join(output, LIST), 'utf8'));
  const projects = projectsOf(modules);
  if (runtimeFiles(projects).join() !== files.join()) return Infinity;
  const manifests = [...projects].map((project) => join(project, 'package.json'));
  return Math.max(...[...modules, ...files, ...manifests].map(changeOf));
}

/**
 * Returns the folders of the projects of these modules, such as libs/flow.
 * @param {readonly string[]} modules
 */
export function projectsOf(modules) {
  const folders = modules.map((path) => /^(?:libs|apps)\/[^/]+/.exec(path)?.[0]);
  return new Set(folders.filter((folder) => folder !== undefined));
}

/** @param {string} path */
function changeOf(path) {
  return statSync(join(workspaceRoot, path), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
}

/**
 * @param {string} folder
 * @param {string} end of the names
 */
function filesBelow(folder, end) {
  if (!existsSync(join(workspaceRoot, folder))) return [];
  return readdirSync(join(workspaceRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(end))
    .sort()
    .map((path) => join(folder, path));
}
