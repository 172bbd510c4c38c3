// `node tools/build.mjs apps/gateway …`: bundles applications into dist/<project>/main.cjs, as CommonJS. Workspace code is
// bundled; npm packages are not, because OpenTelemetry can only instrument packages that are loaded as modules.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { packagesOutside } from './packages-outside.mjs';
import { workspaceRoot } from './workspace-root.mjs';

const { engines } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8'));
const wanted = Number(/\d+/.exec(engines.node)?.[0]);
/** Runs before packages are loaded, which fails on an older Node. Uses only syntax that every Node can parse. */
const nodeVersionGuard = `if (parseInt(process.versions.node, 10) < ${wanted}) {
  console.error('Millrace needs Node ${wanted} or newer; this is Node ' + process.versions.node + '.');
  process.exit(1);
}`;

const { positionals } = readCommandLine({
  usage: `node tools/build.mjs apps/<name> …
  --help`,
  options: {},
  positionals: { minimum: 1, maximum: Infinity },
});
for (const path of positionals)
  await bundle(path.replace(/\/$/, '')).catch((error) => {
    // esbuild has already printed errors in the sources; any other error is a defect of this script.
    if (error.errors === undefined) throw error;
    process.exitCode = 1;
  });

/** @param {string} project */
async function bundle(project) {
  const output = join(workspaceRoot, 'dist', project);
  const { metafile } = await build({
    absWorkingDir: workspaceRoot,
    entryPoints: [join(project, 'src', 'main.ts')],
    outfile: join(output, 'main.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    sourcemap: true,
    banner: { js: nodeVersionGuard },
    plugins: [packagesOutside],
    metafile: true,
    logLevel: 'warning',
  });
  // Remove migrations that no longer exist in the sources; the bundle itself was overwritten.
  rmSync(join(output, 'migrations'), { recursive: true, force: true });
  for (const folder of projectsOf(metafile)) copyRuntimeFiles(folder, output);
}

/** @param {import('esbuild').Metafile} metafile */
function projectsOf({ inputs }) {
  const folders = Object.keys(inputs).map((path) => /^(?:libs|apps)\/[^/]+/.exec(path)?.[0]);
  return new Set(folders.filter((folder) => folder !== undefined));
}

/**
 * Copies SQL migrations and worker scripts: their library reads them as files from the folder of the bundle.
 * @param {string} folder
 * @param {string} output
 */
function copyRuntimeFiles(folder, output) {
  const migrations = join(workspaceRoot, folder, 'migrations');
  if (existsSync(migrations)) cpSync(migrations, join(output, 'migrations'), { recursive: true });
  if (folder === 'libs/python') copyPythonWorker(join(output, 'python-worker'));
  for (const path of readdirSync(join(workspaceRoot, folder, 'src'), { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('-worker.cjs'))
      cpSync(join(workspaceRoot, folder, 'src', path), join(output, basename(path)));
}

/**
 * Copies the package of the Python worker, without what Python has compiled.
 * @param {string} output
 */
function copyPythonWorker(output) {
  rmSync(output, { recursive: true, force: true });
  cpSync(join(workspaceRoot, 'apps/python-worker/millrace_worker'), join(output, 'millrace_worker'), {
    recursive: true,
    filter: (path) => basename(path) !== '__pycache__',
  });
}
