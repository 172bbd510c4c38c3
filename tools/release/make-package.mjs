import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { prepareSite } from '../site/prepare-site.mjs';
import { prepareWorkspace } from '../workspace/prepare-workspace.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { addClient, addManPage, clientMembers } from './package-client.mjs';
import { addScaledProgram } from './package-scaled.mjs';

/** Below the workspace. Built applications read their examples here, as in the image. */
const COPIED = [
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'examples',
  join('deploy', 'entrypoint.mjs'),
  join('deploy', 'package'),
];
/** Served or started by the other applications; the model server is a tool of tests. */
const APPLICATIONS = ['cli', 'console', 'executor', 'gateway', 'guide', 'ingest', 'standalone'];
/**
 * Packages that come within the package, with these files alone: sql.js has 30 MB of other builds.
 */
const BUNDLED = {
  'sql.js': ['LICENSE', 'package.json', 'dist/sql-wasm.js', 'dist/sql-wasm.wasm'],
};
/** Members of the workspace's package.json that the package has, too. */
const KEPT = ['name', 'description', 'license', 'engines', 'dependencies', 'optionalDependencies'];

/**
 * Builds all applications and packs them as `millrace-<version>.tgz`, which npm installs without a build, with the packages that they
 * need at run time. Resolves to the file, its bytes and its SHA-256.
 * @param {string} folder where the file is written
 */
export async function makePackage(folder) {
  prepareWorkspace({ build: true });
  prepareSite();
  const stage = join(folder, 'package');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  for (const path of COPIED) cpSync(join(workspaceRoot, path), join(stage, path), { recursive: true });
  for (const name of APPLICATIONS)
    cpSync(join(workspaceRoot, 'dist', 'apps', name), join(stage, 'dist', 'apps', name), {
      recursive: true,
      filter: (path) => !path.endsWith('.map'),
    });
  for (const [name, files] of Object.entries(BUNDLED)) copyPackage(name, files, stage);
  const manifest = packageOf();
  await addScaledProgram(stage);
  await addClient(stage);
  await addManPage(stage, manifest.version);
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const file = pack(stage, folder);
  rmSync(stage, { recursive: true });
  const bytes = statSync(file).size;
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  writeFileSync(join(folder, 'SHA256SUMS'), `${sha256}  ${basename(file)}\n`);
  return { file, bytes, sha256 };
}

function packageOf() {
  const workspace = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8'));
  return {
    ...Object.fromEntries(KEPT.map((member) => [member, workspace[member]])),
    version: /** @type {string} */ (workspace.version),
    bundleDependencies: Object.keys(BUNDLED),
    bin: { millrace: 'deploy/package/millrace.mjs', 'millrace-service': 'deploy/entrypoint.mjs' },
    ...clientMembers,
  };
}

/**
 * @param {string} name
 * @param {readonly string[]} files
 * @param {string} stage
 */
function copyPackage(name, files, stage) {
  const target = join(stage, 'node_modules', name);
  for (const file of files) cpSync(join(workspaceRoot, 'node_modules', name, file), join(target, file));
  const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  const kept = { ...manifest, scripts: undefined, dependencies: undefined, devDependencies: undefined };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
}

/**
 * @param {string} stage
 * @param {string} folder
 */
function pack(stage, folder) {
  for (const name of readdirSync(folder)) if (name.endsWith('.tgz')) rmSync(join(folder, name));
  const { status, stderr } = spawnSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: stage,
    encoding: 'utf8',
    timeout: 120_000,
  });
  const [name] = readdirSync(folder).filter((entry) => entry.endsWith('.tgz'));
  if (status !== 0 || name === undefined) throw new Error(`npm pack failed: ${stderr.slice(-2_000)}`);
  return join(folder, name);
}
