import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const services = ['apps/gateway', 'apps/ingest', 'apps/executor'];
const INSTALL_MILLISECONDS = 600_000;
const BUILD_MILLISECONDS = 300_000;

/**
 * Returns the commit of a revision; without one, the last release, or else the commit before this one. Throws if there is none.
 * @param {string | undefined} named
 */
export function findRevision(named) {
  if (git('rev-parse', '--git-dir').status !== 0)
    throw new Error(
      'This command reads the other revision with git: it needs git and a clone of the repository.',
    );
  const candidates = named === undefined ? [lastRelease(), 'HEAD~1'] : [named];
  for (const candidate of candidates.filter((one) => one !== undefined)) {
    const { status, stdout } = git('rev-parse', '--verify', '--quiet', `${candidate}^{commit}`);
    if (status === 0) return stdout.trim();
  }
  throw new Error(`There is no revision "${named ?? 'HEAD~1'}" here.`);
}

/**
 * Extracts a revision's sources to a temporary folder and bundles its services with its own packages, which are those
 * of this workspace when both have the same lock file. Returns { bundles, remove }.
 * @param {string} commit
 * @param {(line: string) => void} print
 * @param {readonly string[]} [apps]
 */
export function buildRevision(commit, print, apps = services) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-revision-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const archive = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: workspaceRoot,
      maxBuffer: 2 ** 30,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    /** @param {string} root */
    const lock = (root) => readFileSync(join(root, 'package-lock.json'), 'utf8');
    if (lock(folder) === lock(workspaceRoot)) linkPackages(folder);
    else install(folder, print);
    print(`Building ${commit.slice(0, 10)}`);
    run(folder, process.execPath, ['tools/build.mjs', ...apps], BUILD_MILLISECONDS);
    return { bundles: join(folder, 'dist', 'apps'), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Links npm packages from this workspace, and workspace packages from the revision's sources.
 * @param {string} folder
 */
function linkPackages(folder) {
  const ours = join(workspaceRoot, 'node_modules');
  const theirs = join(folder, 'node_modules');
  mkdirSync(join(theirs, '@millrace'), { recursive: true });
  for (const name of readdirSync(ours))
    if (name !== '@millrace' && !name.startsWith('.')) symlinkSync(join(ours, name), join(theirs, name));
  for (const kind of ['apps', 'libs'])
    for (const name of readdirSync(join(folder, kind)))
      symlinkSync(join(folder, kind, name), join(theirs, '@millrace', name));
}

/**
 * @param {string} folder
 * @param {(line: string) => void} print
 */
function install(folder, print) {
  print('Installing the packages of the other revision');
  const words = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  run(folder, 'npm', words, INSTALL_MILLISECONDS);
}

/**
 * @param {string} cwd
 * @param {string} command
 * @param {readonly string[]} words
 * @param {number} timeout
 */
function run(cwd, command, words, timeout) {
  const { status, stderr, error } = spawnSync(command, words, { cwd, timeout, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${command} ${words[0]} failed: ${error?.message ?? stderr.slice(-2_000)}`);
}

function lastRelease() {
  const { status, stdout } = git('describe', '--tags', '--abbrev=0', 'HEAD~1');
  return status === 0 ? stdout.trim() : undefined;
}

/** @param {...string} words */
function git(...words) {
  return spawnSync('git', words, { cwd: workspaceRoot, encoding: 'utf8' });
}
