const { existsSync } = require('node:fs');
const { join } = require('node:path');

const folders = ['python', 'test-python'].map((name) => join(__dirname, '..', '..', '.millrace', name));

/**
 * The interpreter of a Python environment for tests; an empty text when there is none. A run of `npm test` names one in
 * TEST_PYTHON.
 */
module.exports.testPython =
  process.env.TEST_PYTHON ??
  folders
    .filter((folder) => existsSync(join(folder, 'environment.json')))
    .map((folder) => join(folder, 'bin', 'python'))[0] ??
  '';
