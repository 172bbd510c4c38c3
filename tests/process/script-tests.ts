import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

export interface ScriptTests {
  readonly folder: string;
  /** The least number of tests that pass. */
  readonly minimum: number;
  /** Whether to run the files that only the long tier runs, or the others. */
  readonly full: boolean;
}

/** Runs the tests of the scripts in a folder, and checks that they pass. */
export function expectScriptTestsToPass({ folder, minimum, full }: ScriptTests): void {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.mjs') && path.endsWith('.full.test.mjs') === full)
    .map((path) => join(folder, path));
  expect(files.length).toBeGreaterThan(0);
  // One process loads what the files share once.
  const words = ['--test', '--test-isolation=none', '--test-reporter=tap', ...files];
  const { status, stdout } = spawnSync(process.execPath, words, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 600_000,
    // A clean environment, or Node's test runner takes itself for a part of this run.
    env: { PATH: process.env['PATH'] },
  });
  expect({ status, failures: stdout.match(/^not ok .*$/gm) }).toEqual({ status: 0, failures: null });
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(minimum);
}
