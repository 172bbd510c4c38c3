import { deepEqual, equal, match } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { workspaceRoot } from '../workspace/workspace-root.mjs';
import { isConventional } from './subject-pattern.mjs';

const COMMAND = join(workspaceRoot, 'tools', 'check-commit-subjects.mjs');
const AUTHOR = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];

test('a subject has a type that is in use, perhaps scopes, and a text', () => {
  const subjects = ['fix: a', 'feat(cli): a', 'perf(gateway,key-value)!: a', 'bench!: a: b'];
  deepEqual(subjects.filter(isConventional), subjects);
  const others = [
    'a',
    'Fix: a',
    'wip: a',
    'fix a',
    'fix:a',
    'fix: ',
    'fix(): a',
    'fix(A b): a',
    'fixup! fix: a',
  ];
  deepEqual(others.filter(isConventional), []);
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
    commit('fix(cli): one');
    equal(check('base').status, 0);
    commit('Update `$(id)`');
    commit('docs: two');
    git('checkout', '--quiet', '-b', 'side', 'base');
    commit('test: three');
    git('merge', '--quiet', '--no-ff', '--message', 'Merge a branch', '-');
    const { status, stdout } = check('base');
    equal(status, 1);
    const [refused, ...rest] = stdout.trim().split('\n');
    match(refused, /^[0-9a-f]+ Update `\$\(id\)`$/);
    equal(rest.length, 1);
    equal(check('unknown').status, 2);
    match(check('unknown').stderr, /^git cannot list the commits: /);
  } finally {
    rmSync(repository, { recursive: true });
  }
});
