// `npm run release`: cuts a release from the version plans of its changes, or makes the files of the present version. Commits
// nothing.
import './workspace/require-node-version.mjs';
import './workspace/print-uncaught-errors.mjs';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { addRelease, readPlan } from './release/changelog.mjs';
import { installIfNeeded } from './workspace/install-if-needed.mjs';
import { workspaceRoot } from './workspace/workspace-root.mjs';

const PLANS = join('.nx', 'version-plans');
const DATE_LENGTH = 'YYYY-MM-DD'.length;

const { values } = readCommandLine({
  usage: `npm run release
  sets the version that the version plans in ${PLANS} ask for, moves their texts to CHANGELOG.md and removes them
  --dry-run  prints the version and the entries, and changes nothing
  --package  makes the npm package of the present version in dist/release, and changes nothing else
  --help`,
  options: { 'dry-run': { type: 'boolean' }, package: { type: 'boolean' } },
});
const isDry = values['dry-run'] === true;
installIfNeeded();
process.chdir(workspaceRoot);
const names =
  values.package !== true && existsSync(PLANS)
    ? readdirSync(PLANS).filter((name) => name.endsWith('.md'))
    : [];
if (values.package === true) {
  // Imported only now, because a fresh checkout had no packages.
  const { makePackage } = await import('./release/make-package.mjs');
  const { file, bytes, sha256 } = await makePackage(join(workspaceRoot, 'dist', 'release'));
  console.log(`${file}: ${(bytes / 1e6).toFixed(1)} MB, SHA-256 ${sha256}`);
} else if (names.length === 0) {
  console.error(`There is no version plan in ${PLANS}.`);
  process.exitCode = 1;
} else await release();

async function release() {
  const plans = names.sort().map((name) => readPlan(name, readFileSync(join(PLANS, name), 'utf8')));
  const before = JSON.parse(readFileSync('package.json', 'utf8')).version;
  const version = await setVersion();
  const date = new Date().toISOString().slice(0, DATE_LENGTH);
  const changelog = addRelease(readFileSync('CHANGELOG.md', 'utf8'), { version, date, plans });
  console.log(`${before} → ${version}`);
  for (const { bump, text } of plans) console.log(`${bump}: ${text}`);
  if (isDry) return;
  writeFileSync('CHANGELOG.md', changelog);
  replaceIn('package-lock.json', /("name": "millrace",\s+"version": ")[^"]+/g, `$1${version}`);
  replaceIn(join('deploy', 'helm', 'millrace', 'Chart.yaml'), /^((?:appV|v)ersion: ).*$/gm, `$1${version}`);
  for (const name of names) rmSync(join(PLANS, name));
  console.log(`Commit as "chore: release ${version}", and tag v${version}.`);
}

/** Lets Nx write the version that the plans ask for; a dry run only computes it. */
async function setVersion() {
  Object.assign(process.env, { NX_DAEMON: 'false', NX_TUI: 'false', NX_ISOLATE_PLUGINS: 'false' });
  const { releaseVersion } = await import('nx/release');
  const { workspaceVersion } = await releaseVersion({ dryRun: isDry });
  if (typeof workspaceVersion !== 'string') throw new Error('Nx did not find a version in the plans.');
  return workspaceVersion;
}

/**
 * @param {string} path
 * @param {RegExp} pattern
 * @param {string} replacement
 */
function replaceIn(path, pattern, replacement) {
  writeFileSync(path, readFileSync(path, 'utf8').replace(pattern, replacement));
}
