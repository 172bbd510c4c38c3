import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'millrace-install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TRACER = { 'node_modules/tracer': { version: '1.0.0' } };
const CHECKER = { 'node_modules/checker': { version: '1.0.0' } };

/**
 * A checkout with one optional package that needs Node 24 and one package of development, and an `npm` on the PATH that must not be
 * used.
 */
function newCheckout(name: string) {
  const root = join(folder, name);
  const tools = join(root, 'tools', 'workspace');
  for (const path of ['tools/workspace', 'libs/service/src/process/running-process.cjs'])
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  const packages = {
    '': { optionalDependencies: { tracer: '1.0.0' }, devDependencies: { checker: '1.0.0' } },
    'node_modules/tracer': { version: '1.0.0', optional: true },
    'node_modules/checker': { version: '1.0.0', dev: true },
  };
  writeFileSync(join(root, 'package.json'), JSON.stringify({ private: true, ...packages[''] }));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  const program = join(tools, 'program.mjs');
  writeFileSync(
    program,
    `import { installIfNeeded } from './install-if-needed.mjs';
     try { installIfNeeded({ onlyRun: process.argv.includes('--only-run') }); } catch (error) { console.error(error.message); process.exitCode = 1; }`,
  );
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin', 'npm'), '#!/bin/sh\necho "the npm of the PATH ran" >&2\nexit 1\n', {
    mode: 0o755,
  });
  const npm = join(root, 'npm-cli.js');
  const install = (installed: object | undefined, words: readonly string[] = []) => {
    rmSync(join(root, 'ran-on'), { force: true });
    writeFileSync(
      npm,
      `if (${installed === undefined}) process.exit(1);
       const { mkdirSync, writeFileSync } = require('node:fs');
       mkdirSync('node_modules', { recursive: true });
       writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify({ packages: installed ?? {} }))});
       writeFileSync('ran-on', process.execPath + ' ' + process.argv.slice(2, 5).join(' '));`,
    );
    return spawnSync(process.execPath, [program, ...words], {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...process.env,
        npm_execpath: npm,
        PATH: [join(root, 'bin'), process.env['PATH']].join(delimiter),
      },
    });
  };
  /** What npm was last asked, without the Node that it ran on; undefined when it was not started. */
  const asked = () =>
    existsSync(join(root, 'ran-on'))
      ? readFileSync(join(root, 'ran-on'), 'utf8').replace(`${process.execPath} `, '')
      : undefined;
  const updatePackage = () => {
    packages['node_modules/tracer'].version = '1.0.1';
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  };
  return { install, asked, updatePackage };
}

test('npm runs on the Node of the command, whichever Node the npm of the PATH runs on', () => {
  const { install, asked } = newCheckout('same-node');
  const { status, stderr } = install({ ...TRACER, ...CHECKER });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(asked()).toBe('ci --include=dev --ignore-scripts');
});

test('an installation without an optional package that is needed is an error', () => {
  const { install } = newCheckout('left-out');
  const { status, stderr } = install(CHECKER);
  expect(status).toBe(1);
  expect(stderr).toBe(
    `npm ci did not install all packages: npm runs on a Node that is too old for some of them. Put Node ${process.versions.node} first on the PATH, delete node_modules and try again.\n`,
  );
  expect(install({ ...TRACER, ...CHECKER }).status).toBe(0);
});

test('a start installs no packages of development; a test adds them and removes none', () => {
  const { install, asked } = newCheckout('only-run');
  const start = (installed: object) => install(installed, ['--only-run']);
  expect(start(TRACER).status).toBe(0);
  expect(asked()).toBe('ci --omit=dev --ignore-scripts');
  expect(start({}).stdout).toBe('');
  expect(asked()).toBeUndefined();
  expect(install({ ...TRACER, ...CHECKER }).stdout).toContain(
    'Installing the packages of development (npm install)\n',
  );
  expect(asked()).toBe('install --no-save --include=dev');
  expect(start({}).stdout).toBe('');
});

test('a start after an update keeps the packages of development', () => {
  const { install, asked, updatePackage } = newCheckout('updated');
  expect(install({ ...TRACER, ...CHECKER }).status).toBe(0);
  updatePackage();
  expect(install({ 'node_modules/tracer': { version: '1.0.1' }, ...CHECKER }, ['--only-run']).status).toBe(0);
  expect(asked()).toBe('ci --include=dev --ignore-scripts');
});

test('when npm fails, the command says what to check', () => {
  const { install } = newCheckout('no-network');
  const { status, stderr } = install(undefined, ['--only-run']);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^npm ci failed\. Check that this machine reaches the registry/) as string,
  });
});
