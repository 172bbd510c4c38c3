const { existsSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');
const { syncFolder } = require('../../../libs/service/src/files/sync-folder.cjs');

/**
 * Creates a folder that only its owner can read, and its missing parents; they are synced to disk when it returns.
 * Does not use Node's recursive call, which never returns on a file system that reports an existing parent folder as
 * missing, as /proc does.
 * @param {string} folder
 * @returns {void}
 */
module.exports.makeFolders = function makeFolders(folder) {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolders(above);
  mkdirSync(folder, { mode: 0o700 });
  syncFolder(above);
};
