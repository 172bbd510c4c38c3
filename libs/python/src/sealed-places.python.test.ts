import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { method } from './testing/components.fixture';
import { runText } from './testing/run-text.fixture';
import { openTestPool, workerFolder } from './testing/test-pool.fixture';
import { testPython } from './testing/test-python.fixture';

jest.setTimeout(240_000);

const question = 'import sys, sysconfig; print(sysconfig.get_path("purelib"))';
const ask = (python: string): string => execFileSync(python, ['-c', question], { encoding: 'utf8' }).trim();

test('the environment, its packages and the worker can be in folders that are closed to others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'places-'));
  chmodSync(folder, 0o700);
  const environment = join(folder, '.millrace', 'python');
  execFileSync(testPython(), ['-m', 'venv', '--without-pip', environment]);
  const python = join(environment, 'bin', 'python');
  // A line of a .pth file is a folder with further packages.
  writeFileSync(join(ask(python), 'others.pth'), `${ask(testPython())}\n`);
  cpSync(workerFolder, join(folder, 'worker'), { recursive: true });
  const pool = await openTestPool(python, {
    workerFolder: join(folder, 'worker'),
    seal: { level: 'required' },
  });
  try {
    const folders = [folder, join(folder, 'worker'), join(folder, '.millrace')];
    const text = `import html.parser, lfx.components.processing, pandas
seen = []
for path in ${JSON.stringify(folders)}:
    try:
        seen.append(os.listdir(path))
    except OSError as error:
        seen.append(type(error).__name__)
return seen`;
    // Only the folders of packages can be read, not those on the way.
    expect(await runText(pool, method('none', text))).toEqual(folders.map(() => 'PermissionError'));
  } finally {
    await pool.close();
    rmSync(folder, { recursive: true });
  }
});
