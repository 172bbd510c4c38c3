import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { packagesOutside } from './packages-outside.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * Bundles TypeScript of this workspace, loads it and resolves to its exports. `contents` is the text of a module, whose
 * relative imports start at `folder`. The bundle is inside the workspace, so that npm packages are found.
 * @param {string} contents
 * @param {string} [folder]
 */
export async function loadWorkspaceCode(contents, folder = '.') {
  const output = mkdtempSync(join(workspaceRoot, 'node_modules', '.millrace-code-'));
  const outfile = join(output, 'code.cjs');
  try {
    await build({
      stdin: { contents, resolveDir: join(workspaceRoot, folder), loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node24',
      plugins: [packagesOutside, ownFolders],
      logLevel: 'error',
    });
    return createRequire(import.meta.url)(outfile);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

/**
 * Lets code of tests and of migrations find files of its own folder, although the bundle is in another folder.
 * @type {import('esbuild').Plugin}
 */
const ownFolders = {
  name: 'own-folders',
  setup({ onLoad }) {
    onLoad({ filter: /\.fixture\.ts$|\/testing\/.*\.ts$|\/migration-file\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('__dirname', JSON.stringify(dirname(path))),
      loader: 'ts',
    }));
  },
};
