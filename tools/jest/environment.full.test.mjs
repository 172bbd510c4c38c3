import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testVariables } from './test-variables.mjs';
import { packageBinary } from '../workspace/package-binary.mjs';

const folder = mkdtempSync(join(tmpdir(), 'millrace-jest-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs a test file in the environment of this repository.
 * @param {string} source
 */
function run(source) {
  writeFileSync(join(folder, 'some.test.js'), source);
  const configuration = {
    rootDir: folder,
    testEnvironment: join(import.meta.dirname, 'environment.cjs'),
    cache: false,
  };
  const words = [packageBinary('jest'), '--config', JSON.stringify(configuration), '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  return { counts: JSON.parse(stdout), text: stderr };
}

test('the failure of a hook before all tests is printed once, without its consequences', () => {
  const { counts, text } = run(`
    let server;
    beforeAll(() => { throw new Error('no server answered'); });
    beforeAll(() => server.listen());
    afterEach(() => server.reset());
    afterAll(() => server.close());
    describe('some', () => {
      beforeAll(() => server.open());
      test('a first', () => server.get());
    });
    test.each([1, 2, 3])('test %s', () => server.get());
    describe('others', () => {
      beforeAll(() => server.open());
      test('a fourth', () => server.get());
    });`);
  equal(text.match(/no server answered/g)?.length, 2, text); // The message, and its line in the source.
  doesNotMatch(text, /Cannot read properties/);
  equal(`${counts.numRuntimeErrorTestSuites} ${counts.numFailedTests} ${counts.numPendingTests}`, '0 1 4');
});

test('tests of other groups run, and the failure of a hook after all tests is printed', () => {
  const { counts, text } = run(`
    describe('broken', () => {
      beforeAll(() => { throw new Error('no server answered'); });
      test('a test', () => undefined);
    });
    describe('sound', () => {
      afterAll(() => { throw new Error('not closed'); });
      test('a test', () => undefined);
    });`);
  match(text, /no server answered/);
  match(text, /not closed/);
  equal(`${counts.numFailedTests} ${counts.numPassedTests} ${counts.numPendingTests}`, '1 1 0');
});

test('a test and a hook that ask for a short deadline get the one for a hang', () => {
  const { counts } = run(`
    const pause = () => new Promise((resolve) => setTimeout(resolve, 300));
    jest.setTimeout(10);
    beforeAll(pause, 10);
    test('a slow test', pause, 10);`);
  equal(`${counts.numPassedTests} ${counts.success}`, '1 true');
});

test('tests get no settings of the machine', () => {
  const user = {
    PATH: '/bin',
    HOME: '/root',
    TEST_SEED: '7',
    MILLRACE_UPDATE_DOCS: '1',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
  };
  const machine = {
    PYTHONDONTWRITEBYTECODE: '1',
    MILLRACE_PREFIX: 'x',
    PGHOST: 'db',
    LANG: 'de_DE',
    TZ: 'Asia/Tokyo',
  };
  deepEqual(testVariables({ ...user, ...machine }), user);
});
