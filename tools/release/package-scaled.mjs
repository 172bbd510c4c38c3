// `millrace up --scaled`, which starts the other programs of the npm package.
import { join } from 'node:path';
import { build } from 'esbuild';
import { nodeVersionGuard } from '../build/bundle.mjs';
import { packagesOutside } from '../build/packages-outside.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * Adds the program as one file.
 * @param {string} stage folder of the files of the package
 */
export async function addScaledProgram(stage) {
  await build({
    absWorkingDir: workspaceRoot,
    entryPoints: ['tools/scaled/package-program.mjs'],
    outfile: join(stage, 'dist', 'apps', 'scaled', 'main.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    define: { 'import.meta.url': 'moduleAddress' },
    banner: {
      js: `${nodeVersionGuard}\nconst moduleAddress = require('node:url').pathToFileURL(__filename).href;`,
    },
    plugins: [packagesOutside],
    logLevel: 'warning',
  });
}
