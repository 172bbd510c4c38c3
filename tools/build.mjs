// `node tools/build.mjs apps/gateway …`: bundles applications into dist/<project>/main.cjs. CommonJS with packages left
// outside, since instrumentation can only follow packages that are loaded as they are; workspace code goes inside.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { packagesOutside } from './packages-outside.mjs';
import { workspaceRoot } from './workspace-root.mjs';

const { engines } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8'));
const wanted = Number(/\d+/.exec(engines.node)[0]);
/** Packages outside of the bundle fail on an older Node while they load. In syntax that every Node reads. */
const olderNodeRefused = `if (parseInt(process.versions.node, 10) < ${wanted}) {
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
    // esbuild has printed what is wrong with the sources; anything else is a fault of this script.
    if (error.errors === undefined) throw error;
    process.exitCode = 1;
  });

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
    banner: { js: olderNodeRefused },
    plugins: [packagesOutside],
    metafile: true,
    logLevel: 'warning',
  });
  // A migration that is gone from the sources must not stay here; the bundle itself was written over.
  rmSync(join(output, 'migrations'), { recursive: true, force: true });
  for (const folder of librariesOf(metafile)) copyWhatIsReadAtRunTime(folder, output);
}

function librariesOf({ inputs }) {
  const folders = Object.keys(inputs).map((path) => /^(?:libs|apps)\/[^/]+/.exec(path)?.[0]);
  return new Set(folders.filter(Boolean));
}

/** SQL migrations and worker scripts are files, which their library looks for beside the bundle. */
function copyWhatIsReadAtRunTime(folder, output) {
  const migrations = join(workspaceRoot, folder, 'migrations');
  if (existsSync(migrations)) cpSync(migrations, join(output, 'migrations'), { recursive: true });
  for (const path of readdirSync(join(workspaceRoot, folder, 'src'), { recursive: true }))
    if (path.endsWith('-worker.cjs'))
      cpSync(join(workspaceRoot, folder, 'src', path), join(output, basename(path)));
}
