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
  --plan                     prints the version and the entries, and changes nothing
  --dry-run                  does all of it in a copy, makes the artifacts in dist/release and tries each of them
  --upgrade-from <revision>  with --dry-run: also upgrades from this revision, and back
  --package                  makes the npm package of the present version in dist/release
  --artifacts                makes package, SBOM, image, chart and checksums of the present version in dist/release
  --repository <name>        where the chart finds the image; default millrace
  --image-files              makes the files of the image in dist/image
  --help
--dry-run and --artifacts need root and Debian's mmdebstrap and buildah; --dry-run also bubblewrap, skopeo and docker-registry`,
  options: {
    plan: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    'upgrade-from': { type: 'string' },
    package: { type: 'boolean' },
    artifacts: { type: 'boolean' },
    repository: { type: 'string', default: 'millrace' },
    'image-files': { type: 'boolean' },
  },
});
const isPlan = values.plan === true;
installIfNeeded({ onlyRun: values['image-files'] === true });
process.chdir(workspaceRoot);
if (values.package === true) {
  // Imported only now, because a fresh checkout had no packages.
  const { makePackage } = await import('./release/make-package.mjs');
  const { file, bytes, sha256 } = await makePackage(join(workspaceRoot, 'dist', 'release'));
  console.log(`${file}: ${(bytes / 1e6).toFixed(1)} MB, SHA-256 ${sha256}`);
} else if (values['image-files'] === true) {
  const { makeFiles } = await import('./release/make-artifacts.mjs');
  await makeFiles();
} else if (values.artifacts === true || values['dry-run'] === true) process.exitCode = await withHelm();
else await release();

/** Makes the artifacts, and with --dry-run tries them. */
async function withHelm() {
  const { acquireServices } = await import('./services/acquire-services.mjs');
  const { urls, stop } = await acquireServices({ names: ['helm'] });
  try {
    if (values['dry-run'] === true) {
      const { dryRun } = await import('./release/dry-run.mjs');
      return await dryRun({
        helm: urls.helm,
        plans: PLANS,
        repository: values.repository,
        from: values['upgrade-from'],
      });
    }
    const { makeArtifacts } = await import('./release/make-artifacts.mjs');
    const { digest, bytes } = await makeArtifacts({ helm: urls.helm, repository: values.repository });
    const sizes = Object.entries(bytes).map(([name, count]) => `${name} ${(count / 1e6).toFixed(0)} MB`);
    console.log(`image ${digest}: ${sizes.join(', ')} unpacked`);
    return 0;
  } finally {
    await stop();
  }
}

async function release() {
  const names = existsSync(PLANS) ? readdirSync(PLANS).filter((name) => name.endsWith('.md')) : [];
  if (names.length === 0) {
    console.error(`There is no version plan in ${PLANS}.`);
    process.exitCode = 1;
    return;
  }
  const plans = names.sort().map((name) => readPlan(name, readFileSync(join(PLANS, name), 'utf8')));
  const before = JSON.parse(readFileSync('package.json', 'utf8')).version;
  const version = await setVersion();
  const page = join('docs', 'operate', `upgrade-${version.split('.').slice(0, 2).join('.')}.md`);
  if (!existsSync(page)) throw new Error(`${page} is missing: how to upgrade to ${version}, and back`);
  const date = new Date().toISOString().slice(0, DATE_LENGTH);
  const changelog = addRelease(readFileSync('CHANGELOG.md', 'utf8'), { version, date, plans });
  console.log(`${before} → ${version}`);
  for (const { bump, text } of plans) console.log(`${bump}: ${text}`);
  if (isPlan) return;
  writeFileSync('CHANGELOG.md', changelog);
  replaceIn('package-lock.json', /("name": "millrace",\s+"version": ")[^"]+/g, `$1${version}`);
  replaceIn(join('deploy', 'helm', 'millrace', 'Chart.yaml'), /^((?:appV|v)ersion: ).*$/gm, `$1${version}`);
  replaceIn(join('deploy', 'Dockerfile'), /^(ARG VERSION=).*$/m, `$1${version}`);
  for (const name of names) rmSync(join(PLANS, name));
  console.log('Render deploy/kubernetes/millrace.yaml: MILLRACE_UPDATE_DOCS=1 npm test -- deployment/chart');
  console.log(`Commit as "chore: release ${version}", and tag v${version}.`);
}

/** Lets Nx write the version that the plans ask for; a plan only computes it. */
async function setVersion() {
  Object.assign(process.env, { NX_DAEMON: 'false', NX_TUI: 'false', NX_ISOLATE_PLUGINS: 'false' });
  const { releaseVersion } = await import('nx/release');
  const { workspaceVersion } = await releaseVersion({ dryRun: isPlan });
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
