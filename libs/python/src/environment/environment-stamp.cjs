// Plain JavaScript: `npm run python-environment` uses it before anything is built.
const { createHash } = require('node:crypto');
const { readdirSync, readFileSync, realpathSync, statSync } = require('node:fs');
const { join } = require('node:path');

/** The file in the folder of an environment that describes it. */
module.exports.DESCRIPTION_FILE = 'environment.json';

/**
 * Returns a digest of the interpreter of an environment and of the names of its packages with their versions: it changes
 * when a package is installed or removed, and when the interpreter is replaced. Throws when the folder has no environment.
 * @param {string} folder
 * @returns {string}
 */
module.exports.environmentStamp = function environmentStamp(folder) {
  const interpreter = realpathSync(join(folder, 'bin', 'python'));
  const { size, mtimeMs } = statSync(interpreter);
  const packages = packageFolders(folder).flatMap((path) =>
    readdirSync(path)
      .filter((name) => name !== '__pycache__')
      .sort(),
  );
  // Archives and images keep times in seconds.
  const parts = [interpreter, size, Math.floor(mtimeMs / 1000), configuration(folder), packages];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
};

/** @param {string} folder */
function packageFolders(folder) {
  const library = join(folder, 'lib');
  return readdirSync(library)
    .filter((name) => name.startsWith('python'))
    .sort()
    .map((name) => join(library, name, 'site-packages'));
}

/** @param {string} folder */
function configuration(folder) {
  return readFileSync(join(folder, 'pyvenv.cfg'), 'utf8');
}
