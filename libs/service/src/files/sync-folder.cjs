// Plain JavaScript: `npm start` creates its folders before anything is built.
const { closeSync, fsyncSync, fdatasyncSync, openSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Errors of systems and file systems without fsync for folders.
 * @type {ReadonlySet<unknown>}
 */
const NOT_SUPPORTED = new Set(['EINVAL', 'EBADF', 'ENOTSUP', 'EISDIR', 'EPERM', 'EACCES']);
/** Windows syncs only files that are open for writing. */
const FILE_FLAGS = process.platform === 'win32' ? 'r+' : 'r';

module.exports.syncFolder = syncFolder;
/**
 * Waits until the entries of a folder (created, renamed or deleted names) are on disk. Does nothing where the file
 * system has no such call. Blocks the thread.
 * @param {string} folder
 */
function syncFolder(folder) {
  try {
    withDescriptor(folder, fsyncSync, 'r');
  } catch (error) {
    if (!NOT_SUPPORTED.has(/** @type {NodeJS.ErrnoException} */ (error).code)) throw error;
  }
}

module.exports.syncFile = syncFile;
/**
 * Waits until the content of a file is on disk. Blocks the thread.
 * @param {string} file
 */
function syncFile(file) {
  withDescriptor(file, fdatasyncSync, FILE_FLAGS);
}

module.exports.syncTree = syncTree;
/**
 * Waits until a folder and everything below it is on disk; does not follow symbolic links. Blocks the thread.
 * @param {string} folder
 */
function syncTree(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else if (entry.isFile()) syncFile(path);
  }
  syncFolder(folder);
}

/**
 * @param {string} path
 * @param {(descriptor: number) => void} sync
 * @param {string} flags
 */
function withDescriptor(path, sync, flags) {
  const descriptor = openSync(path, flags);
  try {
    sync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
