import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../run.mjs';
import { workspaceRoot } from '../../workspace/workspace-root.mjs';

/** Files of packages that no program reads: source maps, types and sources in TypeScript, and links of npm. */
const UNREAD = /\.(?:map|[cm]?ts)$|\/\.bin$/;
const INSTALL = ['ci', '--omit=dev', '--workspaces=false', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * Makes the folders of the image: `millrace` with the npm package, the packages of the lock file that it needs, and the SBOM;
 * `data`, which is empty.
 * @param {{ readonly folder: string, readonly tarball: string, readonly sbom: string }} options
 */
export function makeImageFiles({ folder, tarball, sbom }) {
  const files = join(folder, 'millrace');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(files, { recursive: true });
  mkdirSync(join(folder, 'data'));
  run('tar', ['-xzf', tarball, '-C', files, '--strip-components=1', '--no-same-owner']);
  installPackages(join(files, 'node_modules'));
  cpSync(sbom, join(files, 'sbom.cdx.json'));
  run('chmod', ['-R', 'u=rwX,go=rX', folder]);
}

/**
 * Adds the packages of the lock file to those that come with the npm package.
 * @param {string} modules
 */
function installPackages(modules) {
  const work = mkdtempSync(join(tmpdir(), 'millrace-image-'));
  try {
    for (const name of ['package.json', 'package-lock.json'])
      cpSync(join(workspaceRoot, name), join(work, name));
    run('npm', INSTALL, { cwd: work });
    const installed = join(work, 'node_modules');
    const bundled = new Set(readdirSync(modules));
    for (const name of readdirSync(installed))
      if (!name.startsWith('.') && !bundled.has(name))
        cpSync(join(installed, name), join(modules, name), {
          recursive: true,
          filter: (path) => !UNREAD.test(path),
        });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
