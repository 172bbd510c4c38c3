import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const folders = ['apps', 'libs', 'tests', 'tools', 'bench', 'chaos'];

test.each(['.dependency-cruiser.cjs', '.dependency-cruiser.folders.cjs'])(
  'files and folders import each other as %s allows',
  (rules) => {
    const program = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--config', rules, ...folders], {
      cwd: root,
      encoding: 'utf8',
      timeout: 300_000,
    });
    expect([status, stderr, stdout]).toEqual([
      0,
      '',
      expect.stringContaining('no dependency violations found'),
    ]);
  },
  310_000,
);
