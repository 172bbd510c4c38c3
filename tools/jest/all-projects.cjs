// The tests of all projects in one jest, for `npm test`. Named so that Nx does not take it for a project of its own.
const { join } = require('node:path');

const root = join(__dirname, '..', '..');

module.exports = {
  rootDir: root,
  projects: ['apps/*', 'libs/*', 'tests', 'tests/kit'].map((folder) => join(root, folder, 'jest.config.cjs')),
  // Modules of test files that have ended are not all collected.
  workerIdleMemoryLimit: '1.5GB',
  // A process that has no work left still has to free its memory and to stop the threads of its databases, which takes
  // longer than jest's half second on a loaded machine. One that does not end is reported after this time.
  workerGracefulExitTimeout: 30_000,
  reporters: [join(__dirname, 'reporter.cjs')],
  testSequencer: join(__dirname, 'longest-first.cjs'),
  cacheDirectory: join(root, 'node_modules', '.cache', 'jest'),
};
