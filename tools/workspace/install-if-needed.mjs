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
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {boolean} [peer]
 * @property {boolean} [link]
 * @property {Readonly<Record<string, string>>} [optionalDependencies]
 */

const modules = join(workspaceRoot, 'node_modules');
/** Has the hash of the lock file that node_modules was installed from, and `RUN_ONLY` after it without packages of development. */
const stamp = join(modules, '.millrace-lock-hash');
const RUN_ONLY = ' run';
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs packages when node_modules lacks some or does not match package-lock.json: with `onlyRun` those that bundling and running
 * need, otherwise those of development, too. Throws when that fails.
 * @param {{ readonly onlyRun?: boolean, readonly print?: Print }} [options]
 */
export function installIfNeeded({ onlyRun = false, print = console.log } = {}) {
  const lockHash = createHash('sha256')
    .update(readFileSync(join(workspaceRoot, 'package-lock.json')))
    .digest('hex');
  if (isInstalled(lockHash, onlyRun)) return;
  // Two parallel installations would delete each other's files.
  oneAtATime('npm ci', print, () => {
    if (isInstalled(lockHash, onlyRun)) return;
    if (!onlyRun && isInstalled(lockHash, true)) {
      print('Installing the packages of development (npm install)');
      // Unlike `npm ci`, it keeps the packages from which a server may be running.
      install(['install', '--no-save', '--include=dev'], { print, record: lockHash });
    } else if (onlyRun && !hadAll()) {
      print('Installing packages (npm ci --omit=dev)');
      install(['ci', '--omit=dev'], { print, record: lockHash + RUN_ONLY });
    } else {
      print('Installing packages (npm ci)');
      install(['ci', '--include=dev'], { print, record: lockHash });
    }
  });
}

/**
 * @param {readonly string[]} command
 * @param {{ readonly print: Print, readonly record: string }} options `record`: what the stamp then has
 */
function install(command, { print, record }) {
  const started = Date.now();
  const { program, words } = npmCommand([...command, ...OPTIONS]);
  const { status, error } = spawnSync(program, words, {
    cwd: workspaceRoot,
    stdio: ['ignore', 2, 'inherit'],
    shell: program.endsWith('.cmd'),
    // An npm that is older than this Node warns of itself (DEP0169), which reads like a fault of Millrace.
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  const name = `npm ${command[0]}`;
  if (status !== 0)
    throw new Error(
      `${name} failed${error === undefined ? '' : `: ${error.message}`}. Check that this machine reaches the registry of npm (npm config get registry) and that the disk has space, and try again.`,
    );
  if (!matchesLock(record.endsWith(RUN_ONLY)))
    throw new Error(
      `${name} did not install all packages: npm runs on a Node that is too old for some of them. Put Node ${process.versions.node} first on the PATH, delete node_modules and try again.`,
    );
  writeFileSync(stamp, record);
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

/**
 * @param {string} lockHash
 * @param {boolean} onlyRun
 */
function isInstalled(lockHash, onlyRun) {
  const recorded = readStamp();
  if (recorded === lockHash || (onlyRun && recorded === lockHash + RUN_ONLY)) return true;
  // Packages were installed by hand, or the lock file changed without changing them.
  const hasAll = matchesLock(false);
  if (!hasAll && !(onlyRun && matchesLock(true))) return false;
  writeFileSync(stamp, hasAll ? lockHash : lockHash + RUN_ONLY);
  return true;
}

/** Returns whether the last installation had the packages of development. */
function hadAll() {
  return readStamp()?.endsWith(RUN_ONLY) === false;
}

function readStamp() {
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

/**
 * Returns whether npm's record of installed packages has every package that the lock file requires, in that version.
 * @param {boolean} onlyRun
 */
function matchesLock(onlyRun) {
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
  return Object.entries(wanted).every(([path, { version, dev, optional, devOptional, peer, link }]) => {
    if (!path.startsWith('node_modules/') || (onlyRun && dev)) return true;
    if (link) return existsSync(join(workspaceRoot, path));
    const isFree = !needed.has(path) && (optional || devOptional || peer);
    return isFree || installed[path]?.version === version;
  });
}
