import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const PAGE = join(workspaceRoot, 'dist', 'apps', 'guide', '404.html');
/** Folders with sources of pages, or of the OpenAPI document. */
const FOLDERS = ['docs', 'examples', 'tools/site', 'apps/gateway/src'];
/** Folders in which each project has a page. */
const PROJECTS = ['apps', 'libs', 'tests', '.'];
const BUILD_MILLISECONDS = 5 * 60_000;

/** Builds the guide if it is missing or older than a source. A command that a test starts builds only a missing one. */
export function prepareSite() {
  if (existsSync(PAGE)) {
    if (process.env.JEST_WORKER_ID !== undefined) return;
    const built = statSync(PAGE).mtimeMs;
    if (sources().every((path) => statSync(path).mtimeMs <= built)) return;
  }
  buildSite();
}

/** Builds the guide in a process of its own, since its packages can have been installed after this one started. */
export function buildSite() {
  const { status, error } = spawnSync(process.execPath, [join('tools', 'site', 'build-site.mjs')], {
    cwd: workspaceRoot,
    stdio: ['ignore', 2, 'inherit'],
    timeout: BUILD_MILLISECONDS,
  });
  if (status !== 0)
    throw new Error(`The guide could not be built${error === undefined ? '.' : `: ${error.message}`}`);
}

function sources() {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(workspaceRoot, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(workspaceRoot, folder, name),
    ),
  );
  const pages = PROJECTS.flatMap((folder) =>
    readdirSync(join(workspaceRoot, folder)).flatMap((name) => {
      const path = join(workspaceRoot, folder, name);
      return name.endsWith('.md') ? [path] : [join(path, 'README.md')];
    }),
  );
  return [...files, ...pages.filter((path) => existsSync(path)), join(workspaceRoot, 'package-lock.json')];
}
