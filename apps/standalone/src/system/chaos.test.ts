import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..', '..');

test('the tests of the chaos tools pass', () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=tap', 'chaos/**/*.test.mjs'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 60_000,
      // A clean environment, or Node's test runner takes itself for a part of this run.
      env: { PATH: process.env['PATH'] },
    },
  );
  expect({ status, failures: stdout.match(/^not ok .*$/gm) }).toEqual({ status: 0, failures: null });
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(20);
}, 90_000);
