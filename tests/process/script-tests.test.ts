import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

test.each([
  { folder: 'bench', minimum: 20 },
  { folder: 'chaos', minimum: 55 },
  { folder: 'tools', minimum: 9 },
])(
  'the tests of the scripts in $folder pass, at least $minimum',
  ({ folder, minimum }) => {
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.mjs'))
      .map((path) => join(folder, path));
    expect(files.length).toBeGreaterThan(0);
    const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', ...files], {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 600_000,
      // A clean environment, or Node's test runner takes itself for a part of this run.
      env: { PATH: process.env['PATH'] },
    });
    expect({ status, failures: stdout.match(/^not ok .*$/gm) }).toEqual({ status: 0, failures: null });
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(minimum);
  },
  150_000,
);
