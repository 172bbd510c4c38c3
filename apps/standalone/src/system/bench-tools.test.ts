import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..', '..');

test('the bench counts what processes use, and its pages say what was counted', () => {
  const files = readdirSync(join(ROOT, 'bench'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.mjs'))
    .map((path) => join('bench', path));
  expect(files.length).toBeGreaterThan(0);
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
    // Node's own runner: what it finds about this one would make it think it is a part of it.
    env: { PATH: process.env['PATH'] },
  });
  expect({ status, failures: stdout.match(/^not ok .*$/gm) }).toEqual({ status: 0, failures: null });
}, 90_000);
