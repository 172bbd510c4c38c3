import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeSmallLfx } from './python-packages.fixture';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'millrace-python-environment-'));
const environment = join(folder, 'python');
const links = join(folder, 'links');
mkdirSync(links);
const line = writeSmallLfx(links);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command with packages of one folder instead of an index. */
async function build(lock: string, ...words: readonly string[]) {
  const path = join(folder, 'requirements.lock');
  writeFileSync(path, lock);
  const env = {
    ...process.env,
    PIP_CONFIG_FILE: '/dev/null',
    PIP_NO_INDEX: '1',
    PIP_FIND_LINKS: links,
    UV_NO_CONFIG: '1',
    UV_NO_INDEX: '1',
    UV_OFFLINE: '1',
    UV_FIND_LINKS: links,
  };
  const tool = join(root, 'tools', 'python-environment.mjs');
  const given = ['--requirements', path, '--folder', environment, ...words];
  return run(process.execPath, [tool, ...given], { env, timeout: 600_000 }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

test('an environment is built in its place, without tests and pip, and then kept', async () => {
  const first = await build(line);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('lfx 1.13.0, 1 stock components');
  expect(first.stdout).toContain(`Interpreter: ${environment}/bin/python`);
  const script = await run(join(environment, 'bin', 'lfx-check'));
  expect(script.stdout).toBe('the script runs\n');
  const [python = ''] = readdirSync(join(environment, 'lib'));
  const packages = join(environment, 'lib', python, 'site-packages');
  expect(readdirSync(join(packages, 'lfx')).sort()).toEqual(['__init__.py', '__pycache__', 'components']);
  expect(readdirSync(packages)).not.toContain('pip');
  const described = JSON.parse(readFileSync(join(environment, 'environment.json'), 'utf8')) as object;
  expect(described).toMatchObject({
    components: { Reversed: 'lfx.components.texts.reversed.ReversedComponent' },
  });
  const second = await build(line);
  expect(second.stdout).toContain('lfx 1.13.0');
  expect(second.stdout).not.toContain('Installing');
  expect(readdirSync(folder).sort()).toEqual(['links', 'python', 'requirements.lock']);
}, 120_000);

test.each([
  [
    'another hash',
    line.replace(/sha256:\w+/, `sha256:${'0'.repeat(64)}`),
    'does not have the hash of the lock',
  ],
  ['no hash', 'lfx==1.13.0\n', 'has packages without a hash'],
  ['a version without a wheel', line.replace('1.13.0', '1.14.0'), 'has no wheel for this Python'],
])(
  'a lock file with %s fails with a sentence and changes nothing',
  async (_, lock, reason) => {
    await build(line);
    const before = readFileSync(join(environment, 'environment.json'), 'utf8');
    const failed = await build(lock);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/^The Python environment was not built\. .*\n$/);
    expect(failed.stderr).toContain(reason);
    expect(readFileSync(join(environment, 'environment.json'), 'utf8')).toBe(before);
    expect(readdirSync(folder).sort()).toEqual(['links', 'python', 'requirements.lock']);
  },
  240_000,
);

test('a folder with other files is not replaced', async () => {
  const other = join(folder, 'links');
  const { code, stderr } = await build(line, '--folder', other);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `${other} contains files that are no Python environment; choose another folder.\n`,
  });
  expect(existsSync(join(other, 'lfx-1.13.0-py3-none-any.whl'))).toBe(true);
}, 60_000);

test('a set and a lock file exclude each other', async () => {
  const { code, stderr } = await build(line, '--set', 'standard');
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('not both.') });
}, 60_000);
