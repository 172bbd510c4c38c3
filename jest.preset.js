// What the tests of every project share.
const { join } = require('node:path');

const { testPython } = require('./tools/jest/test-python.cjs');

// Processes of jest inherit it.
process.env.TEST_PYTHON = testPython;

/** Packages that are ES modules alone: jest requires what it has transformed. */
const esModules = [
  'commander',
  'htmlparser2',
  'domhandler',
  'domutils',
  'domelementtype',
  'dom-serializer',
  'entities',
  'jose',
  'openid-client',
  'oauth4webapi',
];

/** Returns the jest configuration of one project; `directory` is the project's folder. */
module.exports = (directory, extra = {}) => ({
  displayName: require(join(directory, 'package.json')).name,
  rootDir: directory,
  testEnvironment: join(__dirname, 'tools', 'jest', 'environment.cjs'),
  testRunner: join(__dirname, 'tools', 'jest', 'timed-runner.cjs'),
  testMatch: ['<rootDir>/src/**/*.test.ts'],
  // Needs a Python with the packages of apps/python-worker.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(testPython ? [] : ['\\.python(?:\\.services)?\\.test\\.ts$']),
  ],
  transform: { '^.+\\.[tj]s$': join(__dirname, 'tools', 'jest', 'lazy-imports.cjs') },
  transformIgnorePatterns: [`/node_modules/(?!@millrace/|(?:${esModules.join('|')})/)`],
  moduleFileExtensions: ['ts', 'js', 'json'],
  // Not the system's temporary folder: a test run leaves nothing there.
  cacheDirectory: join(__dirname, 'node_modules', '.cache', 'jest'),
  ...extra,
});
