import assert from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { selectTests } from './select-tests.mjs';
import { isQuick, leftByQuick, shardOf } from './tiers.mjs';
import { workspaceRoot } from '../workspace/workspace-root.mjs';

const all = selectTests([]);

test('a share of the cases is drawn only in test files, which the full tier runs once more', () => {
  const sources = fs.globSync('{{apps,libs}/*/src,tests}/**/*.ts', { cwd: workspaceRoot });
  const drawing = sources.filter(
    (path) =>
      !path.endsWith('/property-cases.ts') &&
      /\bpropertyCases\(/.test(fs.readFileSync(join(workspaceRoot, path), 'utf8')),
  );
  assert.ok(drawing.length > 0);
  const left = new Set(leftByQuick(all));
  assert.deepEqual(
    drawing.filter((path) => !left.has(path)),
    [],
  );
});

test('the quick tier and what it leaves are all test files, and shards divide them', () => {
  const left = leftByQuick(all);
  assert.deepEqual(new Set([...all.filter(isQuick), ...left]), new Set(all));
  const shards = [1, 2, 3, 4].flatMap((number) => shardOf(left, { number, count: 4 }));
  assert.deepEqual([...shards].sort(), [...left].sort());
});
