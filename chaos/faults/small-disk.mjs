import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../tools/workspace/error-fields.mjs';
import { runCommand } from '../../tools/services/run-command.mjs';

const MEBIBYTE = 1024 * 1024;
const BLOCKS = [Buffer.alloc(MEBIBYTE, 1), Buffer.alloc(4_096, 1)];

/**
 * Mounts a separate file system of this size with a folder that belongs to PostgreSQL's user. Needs the right to mount.
 * Resolves to { folder, fill, empty, remove }: `fill` uses all free space, `empty` frees it again.
 * @param {number} bytes
 */
export async function mountSmallDisk(bytes) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-chaos-disk-'));
  const size = `size=${Math.ceil(bytes / MEBIBYTE)}m`;
  try {
    await runCommand('mount', ['-t', 'tmpfs', '-o', `${size},mode=0755`, 'tmpfs', directory]);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
  const folder = join(directory, 'postgres');
  const ballast = join(directory, 'ballast');
  mkdirSync(folder, { mode: 0o700 });
  await runCommand('chmod', ['0755', directory]);
  await runCommand('chown', ['postgres', folder]);
  return {
    folder,
    fill: () => writeUntilFull(ballast),
    empty: () => rmSync(ballast, { force: true }),
    async remove() {
      await runCommand('umount', ['-l', directory]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** @param {string} path */
function writeUntilFull(path) {
  const file = openSync(path, 'a');
  for (const block of BLOCKS)
    for (;;) {
      try {
        writeSync(file, block);
      } catch (error) {
        if (codeOf(error) !== 'ENOSPC') throw error;
        break;
      }
    }
  closeSync(file);
}
