// The tests of all projects in one jest, for `npm test`. Named so that Nx does not take it for a project of its own.
const { join } = require('node:path');

const root = join(__dirname, '..', '..');

module.exports = {
  rootDir: root,
  projects: ['apps/*/jest.config.cjs', 'libs/*/jest.config.cjs'].map((path) => join(root, path)),
  testSequencer: join(__dirname, 'longest-first.cjs'),
  cacheDirectory: join(root, 'node_modules', '.cache', 'jest'),
};
