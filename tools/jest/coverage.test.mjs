import { deepEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { coverageTable, readCoverage } from './coverage.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

test('the table counts a line that ran in one of several runs of jest', () => {
  /** @param {string} path @param {readonly number[]} counts */
  const file = (path, counts) => ({
    [path]: { path: join(workspaceRoot, path), s: Object.fromEntries(counts.entries()) },
  });
  const first = { ...file('libs/flow/src/a.ts', [1, 0, 0, 0]), ...file('apps/cli/src/b.ts', [0, 0]) };
  const second = file('libs/flow/src/a.ts', [0, 3, 0, 0]);
  const [, ...rows] = coverageTable([first, second, readCoverage('/nowhere')]);
  deepEqual(rows, [
    '    0.0 % of      2  apps/cli',
    '   50.0 % of      4  libs/flow',
    '   33.3 % of      6  all projects',
  ]);
});
