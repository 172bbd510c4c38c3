import { deepEqual, equal, match } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { faultOf } from './subject-pattern.mjs';

const COMMAND = join(workspaceRoot, 'tools', 'check-commit-subjects.mjs');
const AUTHOR = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];

test('a subject has a type that is in use, perhaps scopes, and a text', () => {
  const subjects = ['fix: add a', 'feat(cli): add a', 'perf(gateway,key-value)!: add a', 'bench!: add b: c'];
  deepEqual(subjects.filter(faultOf), []);
  const others = [
    'add',
    'Fix: add',
    'wip: add',
    'fix add',
    'fix:add',
    'fix: ',
    'fix(): add',
    'fix(A b): add',
    'fixup! fix: add',
  ];
  deepEqual(
    others.filter((subject) => faultOf(subject) !== 'form'),
    [],
  );
});

test('the text of a subject begins with a verb in the imperative', () => {
  const subjects = [
    'fix: the error',
    'fix: adds a',
    'fix: added a',
    'fix: adding a',
    'docs: pages',
    'feat: 12 a',
  ];
  deepEqual(
    subjects.filter((subject) => faultOf(subject) !== 'verb'),
    [],
  );
  equal(faultOf('revert: Revert "fix: the error"'), undefined);
});

test('prints the subjects since the base that are not conventional', () => {
  const repository = mkdtempSync(join(tmpdir(), 'commit-subjects-'));
  /** @param {readonly string[]} words */
  const git = (...words) => execFileSync('git', [...AUTHOR, ...words], { cwd: repository, stdio: 'pipe' });
  /** @param {string} base */
  const check = (base) => spawnSync(process.execPath, [COMMAND, base], { cwd: repository, encoding: 'utf8' });
  /** @param {string} subject */
  const commit = (subject) => git('commit', '--quiet', '--allow-empty', '--message', subject);
  try {
    git('init', '--quiet');
    commit('before the base');
    git('tag', 'base');
    commit('fix(cli): add one');
    equal(check('base').status, 0);
    commit('Update `$(id)`');
    commit('docs: add two');
    git('checkout', '--quiet', '-b', 'side', 'base');
    commit('test: three');
    git('merge', '--quiet', '--no-ff', '--message', 'Merge a branch', '-');
    const { status, stdout } = check('base');
    equal(status, 1);
    const [first, second, ...rest] = stdout.trim().split('\n');
    match(first, /^[0-9a-f]+ test: three$/);
    match(second, /^[0-9a-f]+ Update `\$\(id\)`$/);
    equal(rest.length, 2);
    equal(check('unknown').status, 2);
    match(check('unknown').stderr, /^git cannot list the commits: /);
  } finally {
    rmSync(repository, { recursive: true });
  }
});
