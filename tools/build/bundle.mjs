import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { projectsOf, runtimeFiles, runtimePath } from './runtime-files.mjs';
import { packagesOutside } from './packages-outside.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const { engines } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8'));
const wanted = Number(/\d+/.exec(engines.node)?.[0]);
/** Runs before packages are loaded, which fails on an older Node. Uses only syntax that every Node can parse. */
export const nodeVersionGuard = `if (parseInt(process.versions.node, 10) < ${wanted}) {
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
  const { metafile, outputFiles } = await build({
    write: false,
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
  const modules = Object.keys(metafile.inputs);
  // Files that no longer exist in the sources.
  for (const folder of ['migrations', 'python-worker'])
    rmSync(join(output, folder), { recursive: true, force: true });
  for (const path of runtimeFiles(projectsOf(modules)))
    cpSync(join(workspaceRoot, path), join(output, runtimePath(path)));
  // The bundle last and at once: after a build that was ended, a bundle means that its files are complete.
  mkdirSync(output, { recursive: true });
  for (const { path, contents } of outputFiles.toSorted((a) => (a.path === outfile ? 1 : -1))) {
    writeFileSync(`${path}.new`, contents);
    renameSync(`${path}.new`, path);
  }
}
