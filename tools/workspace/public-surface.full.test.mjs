import { deepEqual, match } from 'node:assert/strict';
import fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generate } from '../generators/api.mjs';
import { workspaceRoot } from './workspace-root.mjs';

test('the public surface of each library is the one that its api.txt has', () => {
  const files = generate();
  const different = files.filter(({ path, text }) => {
    const file = join(workspaceRoot, path);
    return !fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text;
  });
  const paths = different.map(({ path }) => path);
  deepEqual(paths, [], 'If the change is intended, write the files with: npm run generate -- api');
  const flow = files.find(({ path }) => path === 'libs/flow/api.txt')?.text ?? '';
  match(flow, /^function \w+\(/m);
  match(flow, /^interface Component</m);
});
