// What every project's tests share: TypeScript through swc (types are checked by `tsc`), node, no globals.
const { join } = require('node:path');

/** Packages that are ES modules alone: jest requires what it has transformed. */
const esModules = ['htmlparser2', 'domhandler', 'domutils', 'domelementtype', 'dom-serializer', 'entities'];

/** Returns the jest configuration of one project; `directory` is the project's folder. */
module.exports = (directory, extra = {}) => ({
  displayName: require(join(directory, 'package.json')).name,
  rootDir: directory,
  testEnvironment: 'node',
  testMatch: ['<rootDir>/src/**/*.test.ts'],
  // The quick loop leaves out what needs a server; there is no other way to skip a suite.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.MILLRACE_TEST_UNIT ? ['\\.services\\.test\\.ts$'] : []),
    // Needs a Python with the packages of apps/python-worker.
    ...(process.env.MILLRACE_TEST_PYTHON ? [] : ['\\.python\\.test\\.ts$']),
  ],
  transform: {
    '^.+\\.[tj]s$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, swcrc: false },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!@millrace/|(?:${esModules.join('|')})/)`],
  moduleFileExtensions: ['ts', 'js', 'json'],
  passWithNoTests: true,
  testTimeout: 30_000,
  // Not the system's temporary folder: a test run leaves nothing there.
  cacheDirectory: join(__dirname, 'node_modules', '.cache', 'jest'),
  reporters: ['default', join(__dirname, 'tools', 'test-count-reporter.cjs')],
  ...extra,
});
