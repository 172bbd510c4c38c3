import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK_BYTES = 512;

/**
 * Returns how much of the disk a folder takes, in MB (1,000,000 bytes).
 * @param {string} folder
 */
export function folderMegabytes(folder) {
  return Math.round(bytesOf(folder) / 1e6);
}

/**
 * @param {string} path
 * @returns {number}
 */
function bytesOf(path) {
  const status = lstatSync(path);
  const own = status.blocks * BLOCK_BYTES;
  if (!status.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), own);
}
