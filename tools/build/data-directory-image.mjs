import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from './bundle.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const TIMEOUT_MILLISECONDS = 300_000;

/**
 * Makes the image from which a first start copies its data directory, unless there is one for this PGlite and these
 * migrations. Resolves to its path.
 */
export async function makeDataDirectoryImage() {
  // Inside the workspace, where the program finds packages.
  const cache = join(workspaceRoot, 'node_modules', '.cache', 'millrace');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'make-image-'));
  try {
    const program = join(folder, 'make-image.cjs');
    await bundle(join('libs', 'database', 'src', 'make-image.ts'), program);
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      timeout: TIMEOUT_MILLISECONDS,
    });
    return stdout.trim();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
