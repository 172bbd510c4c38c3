import { equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { workspaceRoot } from './workspace-root.mjs';

const root = mkdtempSync(join(tmpdir(), 'millrace-workspace-'));
after(() => rmSync(root, { recursive: true, force: true }));

/**
 * @param {string} path
 * @param {string} [text]
 */
function write(path, text = '') {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** A checkout with one application, and packages that are installed; its build takes no time. */
for (const path of ['tools/workspace', 'tools/node', 'libs/service/src/process/running-process.cjs'])
  cpSync(join(workspaceRoot, path), join(root, path), { recursive: true });
write(
  'tools/prepare.mjs',
  `await import('./workspace/prepare-workspace.mjs').then((all) => all.prepareWorkspace({ build: true }));`,
);
write(
  'tools/build.mjs',
  `import { writeFileSync, mkdirSync } from 'node:fs';
   if (process.argv.slice(2).join(' ') !== 'apps/mill') process.exit(1);
   mkdirSync('dist/apps/mill', { recursive: true });
   writeFileSync('dist/apps/mill/main.cjs', '');`,
);
write('package.json', JSON.stringify({ engines: { node: '>=1' } }));
write('package-lock.json', JSON.stringify({ packages: { '': {} } }));
write('node_modules/.package-lock.json', JSON.stringify({ packages: {} }));
for (const path of ['tsconfig.base.json', 'tools/build/bundle.mjs']) write(path);
write('apps/mill/src/main.ts');
write('apps/mill/src/main.test.ts');
write('apps/mill/README.md');
write('libs/python/src/index.ts');
write('libs/python/migrations/0001.sql');
write('apps/python-worker/millrace_worker/main.py');

/**
 * Runs a command that needs bundles; returns what it prints about them.
 * @param {NodeJS.ProcessEnv} [environment]
 */
function prepare(environment = { JEST_WORKER_ID: undefined }) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/prepare.mjs'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  equal(`${status} ${stderr}`, '0 ');
  return stdout;
}

/**
 * Makes a file newer than each bundle.
 * @param {string} path
 */
function change(path) {
  write(path, 'changed');
  const later = Date.now() / 1000 + 60;
  utimesSync(join(root, path), later, later);
}

test('an application is bundled again when a source has changed, was added or was removed, and for no other file', () => {
  match(prepare(), /^Building mill$/m);
  equal(prepare(), '');
  for (const path of ['dist/other', 'apps/mill/src/main.test.ts', 'apps/mill/README.md']) {
    change(path);
    equal(prepare(), '', path);
  }
  for (const path of [
    'apps/mill/src/main.ts',
    'libs/python/migrations/0001.sql',
    'apps/python-worker/millrace_worker/added.py',
    'tools/build/bundle.mjs',
    'package-lock.json',
    'tsconfig.base.json',
  ]) {
    if (path === 'package-lock.json')
      utimesSync(join(root, path), Date.now() / 1000 + 60, Date.now() / 1000 + 60);
    else change(path);
    match(prepare(), /^Building mill$/m, path);
    utimesSync(join(root, path), 0, 0);
    // The folder of an added file is newer once.
    prepare();
    equal(prepare(), '', path);
  }
  rmSync(join(root, 'libs/python/migrations/0001.sql'));
  match(prepare(), /^Building mill$/m);
});

test('a build that fails is an error', () => {
  write('apps/other/src/main.ts');
  const { status, stderr } = spawnSync(process.execPath, ['tools/prepare.mjs'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, JEST_WORKER_ID: undefined },
  });
  rmSync(join(root, 'apps/other'), { recursive: true });
  equal(status, 1);
  match(stderr, /The build failed\./);
});

test('a command that a test starts builds what is missing and replaces nothing', () => {
  prepare();
  change('apps/mill/src/main.ts');
  equal(prepare({ JEST_WORKER_ID: '1' }), '');
  match(prepare(), /^Building mill$/m);
  rmSync(join(root, 'dist'), { recursive: true });
  match(prepare({ JEST_WORKER_ID: '1' }), /^Building mill$/m);
});
