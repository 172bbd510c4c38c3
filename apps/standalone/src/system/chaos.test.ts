import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..', '..');

test('the oracle of the chaos machine notices what it is there for, and its proxy breaks what it says it breaks', () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=tap', 'chaos/**/*.test.mjs'],
    {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 60_000,
      // Node's own runner: what it finds about this one would make it think it is a part of it.
      env: { PATH: process.env['PATH'] },
    },
  );
  expect({ status, failures: stdout.match(/^not ok .*$/gm) }).toEqual({ status: 0, failures: null });
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(20);
}, 90_000);
