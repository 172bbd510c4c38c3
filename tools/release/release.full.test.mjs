import { equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

/**
 * Gives a copy of the checkout its packages, and a record of its own that says so: an installation there would delete those
 * of the checkout, and a release notes the new lock file as installed.
 * @param {string} root
 */
function linkPackages(root) {
  const modules = join(root, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(workspaceRoot, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(workspaceRoot, 'node_modules', name), join(modules, name));
  cpSync(join(root, 'package-lock.json'), join(modules, '.package-lock.json'));
}

test('a release sets the version in all files, and a plan changes none', () => {
  const root = mkdtempSync(join(tmpdir(), 'millrace-release-'));
  const changed = [
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
    'deploy/Dockerfile',
    'deploy/helm/millrace/Chart.yaml',
  ];
  /** @param {string} path */
  const read = (path) => readFileSync(join(root, path), 'utf8');
  /** @param {readonly string[]} words */
  const release = (words) =>
    spawnSync(process.execPath, ['tools/release.mjs', ...words], { cwd: root, encoding: 'utf8' });
  try {
    for (const path of [
      ...changed,
      'nx.json',
      'tsconfig.base.json',
      'tools/release.mjs',
      'tools/release',
      'tools/workspace',
      'tools/node',
      'libs/service/src/options',
      'libs/service/src/process',
      'libs/service/src/text',
    ])
      cpSync(join(workspaceRoot, path), join(root, path), { recursive: true, errorOnExist: false });
    linkPackages(root);
    equal(release([]).stderr, 'There is no version plan in .nx/version-plans.\n');
    mkdirSync(join(root, '.nx', 'version-plans'), { recursive: true });
    writeFileSync(join(root, '.nx/version-plans/a.md'), '---\n__default__: minor\n---\n\nA change.\n');
    const before = changed.map(read);
    const { version } = JSON.parse(read('package.json'));
    const next = version.replace(
      /\.\d+\.\d+$/,
      (/** @type {string} */ end) => `.${Number(end.split('.')[1]) + 1}.0`,
    );
    const page = `docs/operate/upgrade-${next.replace(/\.\d+$/, '')}.md`;
    equal(release(['--plan']).stderr.includes(`${page} is missing`), true);
    mkdirSync(join(root, 'docs', 'operate'), { recursive: true });
    writeFileSync(join(root, page), '');
    const plan = release(['--plan']);
    equal(`${plan.status} ${plan.stdout.includes(`${version} → ${next}`)}`, '0 true', plan.stderr);
    equal(changed.map(read).join(), before.join());
    equal(release([]).status, 0);
    equal(JSON.parse(read('package.json')).version, next);
    equal(JSON.parse(read('package-lock.json')).packages[''].version, next);
    equal(read('deploy/helm/millrace/Chart.yaml').split(`: ${next}\n`).length, 3);
    equal(read('deploy/Dockerfile').includes(`\nARG VERSION=${next}\n`), true);
    equal(read('CHANGELOG.md').includes(`\n## ${next} (`), true);
    equal(release([]).stderr, 'There is no version plan in .nx/version-plans.\n');
  } finally {
    rmSync(root, { recursive: true });
  }
});
