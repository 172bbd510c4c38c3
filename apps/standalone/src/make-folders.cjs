const { existsSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');
const { syncFolder } = require('../../../libs/service/src/files/sync-folder.cjs');

/**
 * Makes a folder that only its owner can read, and those above it that are missing; on disk when it returns. One after the other: Node's own
 * recursive call never ends where a file system answers that the folder above is missing although it is there, as /proc
 * does.
 */
module.exports.makeFolders = function makeFolders(folder) {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolders(above);
  mkdirSync(folder, { mode: 0o700 });
  syncFolder(above);
};
