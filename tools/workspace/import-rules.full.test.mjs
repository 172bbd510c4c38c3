import { equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { workspaceRoot } from './workspace-root.mjs';

test('lint checks import rules in a checkout where Nx has cached nothing', (context) => {
  const cache = mkdtempSync(join(tmpdir(), 'millrace-nx-'));
  context.after(() => rmSync(cache, { recursive: true, force: true }));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/eslint/bin/eslint.js', '--stdin', '--stdin-filename', 'libs/flow/src/index.ts'],
    {
      cwd: workspaceRoot,
      encoding: 'utf8',
      input: "import '@millrace/gateway';\n",
      env: { PATH: process.env['PATH'], NX_WORKSPACE_DATA_DIRECTORY: cache },
    },
  );
  match(stdout, /@nx\/enforce-module-boundaries/);
  equal(stderr, '');
  equal(status, 1);
});
