import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { packagesOutside } from './packages-outside.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const { engines } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8'));
const wanted = Number(/\d+/.exec(engines.node)?.[0]);
/** Runs before packages are loaded, which fails on an older Node. Uses only syntax that every Node can parse. */
const nodeVersionGuard = `if (parseInt(process.versions.node, 10) < ${wanted}) {
  console.error('Millrace needs Node ${wanted} or newer; this is Node ' + process.versions.node + '.');
  process.exit(1);
}`;

/**
 * Bundles a program into one file, as CommonJS, with the files that its code reads at run time in the same folder.
 * Workspace code is bundled; npm packages are not, because OpenTelemetry can only instrument packages that are loaded as
 * modules.
 * @param {string} entry path below the workspace
 * @param {string} outfile
 */
export async function bundle(entry, outfile) {
  const { metafile } = await build({
    absWorkingDir: workspaceRoot,
    entryPoints: [entry],
    outfile,
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
  const output = dirname(outfile);
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
