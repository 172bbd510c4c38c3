import { existsSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const WORKER = join('apps', 'python-worker', 'millrace_worker');

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
 * Returns the folders of the projects of these modules, such as libs/flow.
 * @param {readonly string[]} modules
 */
export function projectsOf(modules) {
  const folders = modules.map((path) => /^(?:libs|apps)\/[^/]+/.exec(path)?.[0]);
  return new Set(folders.filter((folder) => folder !== undefined));
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
