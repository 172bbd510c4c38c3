import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'millrace-install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A checkout with one optional package that needs Node 24, and an `npm` on the PATH that must not be used. */
function newCheckout(name: string) {
  const root = join(folder, name);
  const tools = join(root, 'tools', 'workspace');
  for (const path of ['tools/workspace', 'libs/service/src/process/running-process.cjs'])
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  const packages = {
    '': { optionalDependencies: { tracer: '1.0.0' } },
    'node_modules/tracer': { version: '1.0.0', optional: true },
  };
  writeFileSync(join(root, 'package.json'), JSON.stringify({ private: true, ...packages[''] }));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
  const program = join(tools, 'program.mjs');
  writeFileSync(
    program,
    `import { installIfNeeded } from './install-if-needed.mjs';
     try { installIfNeeded(); } catch (error) { console.error(error.message); process.exitCode = 1; }`,
  );
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin', 'npm'), '#!/bin/sh\necho "the npm of the PATH ran" >&2\nexit 1\n', {
    mode: 0o755,
  });
  const npm = join(root, 'npm-cli.js');
  const install = (installed: object) => {
    writeFileSync(
      npm,
      `const { mkdirSync, writeFileSync } = require('node:fs');
       mkdirSync('node_modules', { recursive: true });
       writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify({ packages: installed }))});
       writeFileSync('ran-on', process.execPath + ' ' + process.argv[2]);`,
    );
    return spawnSync(process.execPath, [program], {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...process.env,
        npm_execpath: npm,
        PATH: [join(root, 'bin'), process.env['PATH']].join(delimiter),
      },
    });
  };
  return { install, ranOn: () => readFileSync(join(root, 'ran-on'), 'utf8') };
}

test('npm runs on the Node of the command, whichever Node the npm of the PATH runs on', () => {
  const { install, ranOn } = newCheckout('same-node');
  const { status, stderr } = install({ 'node_modules/tracer': { version: '1.0.0' } });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(ranOn()).toBe(`${process.execPath} ci`);
});

test('an installation without an optional package that is needed is an error', () => {
  const { install } = newCheckout('left-out');
  const { status, stderr } = install({});
  expect(status).toBe(1);
  expect(stderr).toBe(
    `npm ci did not install all packages: npm runs on a Node that is too old for some of them. Put Node ${process.versions.node} first on the PATH, delete node_modules and try again.\n`,
  );
  expect(install({ 'node_modules/tracer': { version: '1.0.0' } }).status).toBe(0);
});
