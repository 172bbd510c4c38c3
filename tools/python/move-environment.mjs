import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../../libs/service/src/process/running-process.cjs';

/**
 * Replaces the path of an environment in its scripts and settings by the path that it moves to.
 * @param {string} built
 * @param {string} folder
 */
export function rewritePaths(built, folder) {
  for (const path of [join(built, 'pyvenv.cfg'), ...scripts(built)]) {
    const text = readFileSync(path);
    // Programs that are not texts do not contain the path.
    if (text.includes(built) && !text.includes(0))
      writeFileSync(path, text.toString('utf8').replaceAll(built, folder));
  }
}

/**
 * Puts an environment that was built beside a folder into the folder's place.
 * @param {string} built
 * @param {string} folder
 */
export function replaceFolder(built, folder) {
  const old = `${folder}.old-${process.pid}`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(built, folder);
  rmSync(old, { recursive: true, force: true });
}

/**
 * Removes what interrupted builds of processes that have ended left beside a folder.
 * @param {string} folder
 */
export function removeLeftovers(folder) {
  const parent = dirname(folder);
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) {
    const [start, processId] = name.split(/\.(?:new|old)-(?=\d+$)/);
    if (start === basename(folder) && processId !== undefined && !isRunning(Number(processId)))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** @param {string} built */
function scripts(built) {
  const folder = join(built, 'bin');
  return readdirSync(folder)
    .filter((name) => !name.startsWith('python'))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}
