import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from './run.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/** What an installation writes into in place: a hard link would change the checkout. */
const OWN = ['.millrace-lock-hash', '.package-lock.json'];

/**
 * Copies the files of the checkout that git knows or would add, with its packages as hard links, to a temporary folder. Returns the
 * folder.
 */
export function copyCheckout() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-release-'));
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  for (const path of run('git', words, { cwd: workspaceRoot }).split('\0'))
    if (path !== '' && existsSync(join(workspaceRoot, path)))
      cpSync(join(workspaceRoot, path), join(folder, path), { recursive: true, verbatimSymlinks: true });
  for (const path of moduleFolders()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    run('cp', ['-al', join(workspaceRoot, path), join(folder, path)]);
  }
  const modules = join(folder, 'node_modules');
  // The image of a data directory has the times of its making; the copy takes that of the checkout.
  const cache = join(modules, '.cache');
  const cached = existsSync(cache) ? readdirSync(cache) : [];
  for (const name of cached.filter((one) => one !== 'millrace'))
    rmSync(join(cache, name), { recursive: true, force: true });
  for (const name of OWN.filter((one) => existsSync(join(modules, one)))) {
    const content = readFileSync(join(modules, name));
    rmSync(join(modules, name));
    writeFileSync(join(modules, name), content);
  }
  return folder;
}

/** The node_modules of the checkout and of its projects. */
function moduleFolders() {
  const projects = ['apps', 'libs', 'tests', 'tools'].flatMap((kind) =>
    readdirSync(join(workspaceRoot, kind)).map((name) => join(kind, name, 'node_modules')),
  );
  return ['node_modules', ...projects].filter((path) => existsSync(join(workspaceRoot, path)));
}
