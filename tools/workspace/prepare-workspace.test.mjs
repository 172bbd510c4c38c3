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

/** A checkout with one application, a build that takes no time, and packages that are installed. */
for (const path of [
  'tools/workspace',
  'tools/node',
  'tools/build/bundle-sources.mjs',
  'libs/service/src/process/running-process.cjs',
])
  cpSync(join(workspaceRoot, path), join(root, path), { recursive: true });
write(
  'tools/prepare.mjs',
  `await import('./workspace/prepare-workspace.mjs').then((all) => all.prepareWorkspace({ build: true }));`,
);
write(
  'tools/build.mjs',
  `import { writeFileSync, mkdirSync } from 'node:fs';
   import { recordSources } from './build/bundle-sources.mjs';
   mkdirSync('dist/apps/mill', { recursive: true });
   writeFileSync('dist/apps/mill/main.cjs', '');
   recordSources('dist/apps/mill', ['apps/mill/src/main.ts', 'libs/python/src/index.ts']);`,
);
write('package.json', JSON.stringify({ engines: { node: '>=1' } }));
write('package-lock.json', JSON.stringify({ packages: { '': {} } }));
write('node_modules/.package-lock.json', JSON.stringify({ packages: {} }));
write('tsconfig.base.json');
for (const project of ['apps/mill', 'libs/python']) write(`${project}/package.json`);
write('apps/mill/src/main.ts');
write('libs/python/src/index.ts');
write('libs/python/src/start-worker.cjs');
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

test('a bundle is built again when a file changes that it was made from, and for no other file', () => {
  match(prepare(), /^Building mill$/m);
  for (const path of [
    'apps/python-worker/millrace_worker/__pycache__/main.cpython-311.pyc',
    'libs/python/src/index.test.ts',
    'libs/python/src/.index.ts.swp',
    'libs/python/migrations/notes.txt',
    'libs/unused/src/index.ts',
  ])
    change(path);
  equal(prepare(), '');
  for (const path of [
    'apps/mill/src/main.ts',
    'libs/python/src/start-worker.cjs',
    'libs/python/migrations/0002.sql',
    'apps/python-worker/millrace_worker/added.py',
    'tsconfig.base.json',
  ]) {
    change(path);
    match(prepare(), /^Building mill$/m, path);
    utimesSync(join(root, path), 0, 0);
  }
  rmSync(join(root, 'libs/python/migrations/0002.sql'));
  match(prepare(), /^Building mill$/m);
});

test('a command that a test starts builds what is missing and replaces nothing', () => {
  prepare();
  change('apps/mill/src/main.ts');
  equal(prepare({ JEST_WORKER_ID: '1' }), '');
  match(prepare(), /^Building mill$/m);
  rmSync(join(root, 'dist'), { recursive: true });
  match(prepare({ JEST_WORKER_ID: '1' }), /^Building mill$/m);
});
