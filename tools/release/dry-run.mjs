import { cpSync, existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeDataDirectoryImage } from '../build/data-directory-image.mjs';
import { copyCheckout } from './copy-checkout.mjs';
import { listArtifacts, RELEASE } from './make-artifacts.mjs';
import { run } from './run.mjs';
import { tryArtifacts } from './try/try-artifacts.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * Cuts the release in a copy of the checkout, makes its artifacts there, moves them to dist/release and tries them. With `from`, also
 * upgrades from that revision. Returns 0, or 1 after a failure.
 * @param {{ readonly helm: string, readonly plans: string, readonly repository: string, readonly from: string | undefined }} options
 */
export async function dryRun({ helm, plans, repository, from }) {
  await makeDataDirectoryImage();
  const copy = copyCheckout();
  try {
    const environment = {
      HELM: helm,
      SOURCE_DATE_EPOCH: process.env.SOURCE_DATE_EPOCH ?? git('%ct'),
      REVISION: git('%H'),
    };
    const hasPlans = existsSync(join(copy, plans)) && readdirSync(join(copy, plans)).length > 0;
    if (hasPlans) release(copy, [], environment);
    release(copy, ['--artifacts', '--repository', repository], environment);
    rmSync(RELEASE, { recursive: true, force: true });
    cpSync(join(copy, 'dist', 'release'), RELEASE, { recursive: true });
    const { version } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
    await tryArtifacts({ helm, version, from });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  printArtifacts();
  return from === undefined ? 0 : upgradeUnderLoad(from);
}

/** Prints the artifacts in dist/release with their sizes and digests. */
export function printArtifacts() {
  for (const { name, bytes, sha256 } of listArtifacts())
    console.log(`${(bytes / 1e6).toFixed(1).padStart(7)} MB  ${sha256}  ${name}`);
}

/** @param {string} format */
function git(format) {
  return run('git', ['log', '-1', `--format=${format}`], { cwd: workspaceRoot }).trim();
}

/**
 * @param {string} cwd
 * @param {readonly string[]} words
 * @param {Readonly<Record<string, string>>} environment
 */
function release(cwd, words, environment) {
  const env = { ...process.env, ...environment };
  const { status } = spawnSync(process.execPath, ['tools/release.mjs', ...words], {
    cwd,
    env,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`npm run release -- ${words.join(' ')} failed`);
}

/** @param {string} from */
function upgradeUnderLoad(from) {
  const words = ['tools/interop.mjs', '--with', from, '--upgrade', '10'];
  return spawnSync(process.execPath, words, { cwd: workspaceRoot, stdio: 'inherit' }).status ?? 1;
}
