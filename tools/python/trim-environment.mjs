import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** pip is not needed in an environment that is built from a lock file. */
const PIP = /^(?:pip|pip-[\d.]+\.dist-info)$/;

/**
 * Removes pip, and the tests of packages, which no component imports.
 * @param {string} folder of the environment
 */
export function trimEnvironment(folder) {
  const library = join(folder, 'lib');
  for (const python of readdirSync(library)) {
    const packages = join(library, python, 'site-packages');
    for (const name of readdirSync(packages)) if (PIP.test(name)) remove(join(packages, name));
    removeTests(packages);
  }
  for (const name of readdirSync(join(folder, 'bin')))
    if (/^pip[\d.]*$/.test(name)) remove(join(folder, 'bin', name));
}

/** @param {string} folder */
function removeTests(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    if (entry.name === 'tests') remove(path);
    else removeTests(path);
  }
}

/** @param {string} path */
function remove(path) {
  rmSync(path, { recursive: true, force: true });
}
