import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneAtATime } from './one-at-a-time.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** @typedef {(line: string) => void} Print */

/**
 * @typedef {object} LockedPackage An entry of package-lock.json.
 * @property {string} [version]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {boolean} [peer]
 * @property {boolean} [link]
 * @property {Readonly<Record<string, string>>} [optionalDependencies]
 */

const modules = join(workspaceRoot, 'node_modules');
const stamp = join(modules, '.millrace-lock-hash');

/**
 * Runs `npm ci` when node_modules is missing or does not match package-lock.json. Throws when that fails.
 * @param {Print} [print]
 */
export function installIfNeeded(print = console.log) {
  const lockHash = createHash('sha256')
    .update(readFileSync(join(workspaceRoot, 'package-lock.json')))
    .digest('hex');
  if (isInstalled(lockHash)) return;
  // Two parallel installations would delete each other's files.
  oneAtATime('npm ci', print, () => {
    if (!isInstalled(lockHash)) install(lockHash, print);
  });
}

/**
 * @param {string} lockHash
 * @param {Print} print
 */
function install(lockHash, print) {
  print('Installing packages (npm ci)');
  const started = Date.now();
  const { program, words } = npmCommand([
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  const { status, error } = spawnSync(program, words, {
    cwd: workspaceRoot,
    stdio: 'inherit',
    shell: program.endsWith('.cmd'),
    // An npm that is older than this Node warns of itself (DEP0169), which reads like a fault of Millrace.
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  if (status !== 0) throw new Error(`npm ci failed${error === undefined ? '' : `: ${error.message}`}`);
  if (!matchesLock())
    throw new Error(
      `npm ci did not install all packages: npm runs on a Node that is too old for some of them. Put Node ${process.versions.node} first on the PATH, delete node_modules and try again.`,
    );
  writeFileSync(stamp, lockHash);
  print(`Installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

/**
 * The npm that started this command, on the Node of this process. The `npm` of a version manager can start another Node;
 * npm then leaves out optional packages that need a newer one, without an error.
 * @param {readonly string[]} words
 */
function npmCommand(words) {
  const npm = process.env.npm_execpath ?? '';
  if (npm.endsWith('npm-cli.js')) return { program: process.execPath, words: [npm, ...words] };
  return { program: process.platform === 'win32' ? 'npm.cmd' : 'npm', words };
}

/** @param {string} lockHash */
function isInstalled(lockHash) {
  if (!existsSync(modules)) return false;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash) return true;
  // Packages were installed by hand, or the lock file changed without changing them.
  if (!matchesLock()) return false;
  writeFileSync(stamp, lockHash);
  return true;
}

/** Returns whether npm's record of installed packages has every package that the lock file requires, in that version. */
function matchesLock() {
  const record = join(modules, '.package-lock.json');
  if (!existsSync(record)) return false;
  /** @type {{ readonly packages: Readonly<Record<string, LockedPackage>> }} */
  const { packages: wanted } = JSON.parse(readFileSync(join(workspaceRoot, 'package-lock.json'), 'utf8'));
  /** @type {{ readonly packages: Readonly<Record<string, LockedPackage>> }} */
  const { packages: installed } = JSON.parse(readFileSync(record, 'utf8'));
  // npm on an older Node skips optional packages that need a newer Node.
  const needed = new Set(
    Object.keys(wanted[''].optionalDependencies ?? {}).map((name) => `node_modules/${name}`),
  );
  return Object.entries(wanted).every(([path, { version, optional, devOptional, peer, link }]) => {
    if (!path.startsWith('node_modules/')) return true;
    if (link) return existsSync(join(workspaceRoot, path));
    const isFree = !needed.has(path) && (optional || devOptional || peer);
    return isFree || installed[path]?.version === version;
  });
}
