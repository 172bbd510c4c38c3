import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOrCreateEncryptionKeys } from './encryption-key';
import { makeDataFolder } from './make-data-folder';
import { readSecretFile, writeSecretFile } from './secret-file';

let folder: string;
const warnings: string[] = [];
const warn = (sentence: string) => void warnings.push(sentence);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-secret-'));
  warnings.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

test('is readable by its owner only, also when it replaces a file that was not', () => {
  const file = join(folder, 'deep', 'secret');
  writeSecretFile(file, 'one', { replace: false });
  chmodSync(file, 0o644);
  expect(readSecretFile(file, warn)).toBe('one');
  expect(warnings).toEqual([`${file} can be read by other users of this machine; run chmod 600 ${file}`]);
  expect(() => writeSecretFile(file, 'two', { replace: false })).toThrow(
    `${file} cannot be written: file already exists (EEXIST)`,
  );
  writeSecretFile(file, 'two', { replace: true });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readSecretFile(file, warn)).toBe('two');
  expect(warnings).toHaveLength(1);
  expect(readdirSync(join(folder, 'deep'))).toEqual(['secret']);
});

test('an empty or missing file has no content; an unreadable one is named in the error', () => {
  writeFileSync(join(folder, 'empty'), '\n', { mode: 0o600 });
  expect(readSecretFile(join(folder, 'empty'), warn)).toBeNull();
  expect(readSecretFile(join(folder, 'missing'), warn)).toBeNull();
  mkdirSync(join(folder, 'secret'));
  expect(() => readSecretFile(join(folder, 'secret'), warn)).toThrow(
    `${join(folder, 'secret')} cannot be read: illegal operation on a directory (EISDIR)`,
  );
});

test('an emptied encryption key file is not replaced by a new key', () => {
  const [key = ''] = readOrCreateEncryptionKeys(folder, warn);
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(readOrCreateEncryptionKeys(folder, warn)).toEqual([key]);
  writeFileSync(join(folder, 'encryption-key'), '');
  expect(() => readOrCreateEncryptionKeys(folder, warn)).toThrow(
    /encryption-key cannot be written: file already exists/,
  );
  expect(readFileSync(join(folder, 'encryption-key'), 'utf8')).toBe('');
});

test('a data folder that cannot be created results in one sentence', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeDataFolder(join(folder, 'file', 'data'))).toThrow(
    `the data folder ${join(folder, 'file', 'data')} cannot be written: not a directory (ENOTDIR); choose another one with --data`,
  );
  // No folders can be created in /proc.
  if (process.platform === 'linux')
    expect(() => makeDataFolder('/proc/millrace/data')).toThrow(
      'the data folder /proc/millrace/data cannot be written: no such file or directory (ENOENT)',
    );
  makeDataFolder(join(folder, 'new', 'data'));
  expect(statSync(join(folder, 'new', 'data')).mode & 0o777).toBe(0o700);
});
