import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..', '..');

test('the tests of the bench tools pass', () => {
  const files = readdirSync(join(ROOT, 'bench'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.mjs'))
    .map((path) => join('bench', path));
  expect(files.length).toBeGreaterThan(0);
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
    // A clean environment, or Node's test runner takes itself for a part of this run.
    env: { PATH: process.env['PATH'] },
  });
  expect({ status, failures: stdout.match(/^not ok .*$/gm) }).toEqual({ status: 0, failures: null });
}, 90_000);
