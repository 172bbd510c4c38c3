import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneAtATime } from './one-at-a-time.mjs';
import { workspaceRoot } from './workspace-root.mjs';

const modules = join(workspaceRoot, 'node_modules');
const stamp = join(modules, '.millrace-lock-hash');

/** Runs `npm ci` when node_modules is missing or belongs to another package-lock.json. Throws when that fails. */
export function installIfNeeded(print = console.log) {
  const lockHash = createHash('sha256')
    .update(readFileSync(join(workspaceRoot, 'package-lock.json')))
    .digest('hex');
  if (isInstalled(lockHash)) return;
  // Two at once would delete each other's files.
  oneAtATime('npm ci', print, () => {
    if (!isInstalled(lockHash)) install(lockHash, print);
  });
}

function install(lockHash, print) {
  print('Installing packages (npm ci)');
  const started = Date.now();
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status, error } = spawnSync(
    npm,
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: workspaceRoot,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0) throw new Error(`npm ci failed${error === undefined ? '' : `: ${error.message}`}`);
  writeFileSync(stamp, lockHash);
  print(`Installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

function isInstalled(lockHash) {
  if (!existsSync(modules)) return false;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash) return true;
  // Installed by hand, or the lock changed without changing what must be there.
  if (!matchesLock()) return false;
  writeFileSync(stamp, lockHash);
  return true;
}

/** Whether npm's own record of what it installed has every package that the lock demands, in that version. */
function matchesLock() {
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return false;
  const { packages: wanted } = JSON.parse(readFileSync(join(workspaceRoot, 'package-lock.json'), 'utf8'));
  const { packages: installed } = JSON.parse(readFileSync(record, 'utf8'));
  // An npm on an older Node leaves out optional packages that need a newer one.
  const needed = new Set(Object.keys(wanted[''].optionalDependencies).map((name) => `node_modules/${name}`));
  return Object.entries(wanted).every(([path, { version, optional, devOptional, peer, link }]) => {
    if (!path.startsWith('node_modules/')) return true;
    if (link) return existsSync(join(workspaceRoot, path));
    const isFree = !needed.has(path) && (optional || devOptional || peer);
    return isFree || installed[path]?.version === version;
  });
}
