import { equal, throws } from 'node:assert/strict';
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
import { addRelease, notesOf, readPlan } from './changelog.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const CHANGELOG = `# Changelog

## Unreleased

### Added

- One.

### Fixed

- Two.
`;

test('a release has the entries without a release and those of its plans', () => {
  const plans = [
    readPlan('a.md', '---\n__default__: minor\n---\n\nThree,\nin two lines.\n'),
    readPlan('b.md', '---\nmillrace: patch\n---\n\nFour.\n'),
    readPlan('c.md', '---\nmillrace: major\n---\nFive.\n'),
  ];
  const first = addRelease(CHANGELOG, { version: '0.2.0', date: '2026-12-01', plans });
  equal(
    first,
    `# Changelog

## Unreleased

## 0.2.0 (2026-12-01)

### Added

- One.
- Three,
  in two lines.

### Fixed

- Two.
- Four.

### Changed

- Five.
`,
  );
  const second = addRelease(first, { version: '0.2.1', date: '2026-12-02', plans: plans.slice(1, 2) });
  equal(
    second.slice(0, second.indexOf('- One')),
    '# Changelog\n\n## Unreleased\n\n## 0.2.1 (2026-12-02)\n\n### Fixed\n\n- Four.\n\n## 0.2.0 (2026-12-01)\n\n### Added\n\n',
  );
});

test('the notes of a release are what stands below its heading', () => {
  const plans = [readPlan('a.md', '---\n__default__: minor\n---\nTwo.\n')];
  const text = addRelease('# Changelog\n\n## Unreleased\n', { version: '0.2.0', date: '2026-12-01', plans });
  equal(notesOf(text, '0.2.0'), '### Added\n\n- Two.');
  equal(notesOf('## Unreleased\n\n- One.\n\n## 0.1.0\n', '0.2.0'), '- One.');
  throws(() => notesOf('# Changelog\n', '0.3.0'), /no heading "## 0\.3\.0"/);
});

test('a file that is no version plan is an error', () => {
  throws(() => readPlan('a.md', 'Text'), /a\.md is no version plan/);
  throws(() => readPlan('a.md', '---\nmillrace: minor\n---\n'), /a\.md is no version plan/);
});

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
