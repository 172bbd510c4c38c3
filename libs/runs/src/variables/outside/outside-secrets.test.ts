import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics } from '@millrace/service';
import { recordingLogger } from '@millrace/service/testing';
import { OutsideSecrets } from './outside-secrets';
import { SecretFolder } from './secret-folder';

const ANN = '018f0000-0000-7000-8000-000000000001';
const BOB = '018f0000-0000-7000-8000-000000000002';
const UNAVAILABLE = { code: 'secret_store_unavailable', permanent: false };

let root: string;
let folder: string;
let now = 0;
const logger = recordingLogger();
const metrics = createMetrics();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-secrets-'));
  folder = join(root, 'mounted');
  for (const user of [ANN, BOB]) mkdirSync(join(folder, user), { recursive: true });
  now = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
afterAll(() => metrics.close());

const write = (user: string, name: string, content: string | Buffer) =>
  writeFileSync(join(folder, user, name), content);
const open = () =>
  new OutsideSecrets({
    source: new SecretFolder(folder),
    logger,
    reads: metrics.counter('test_reads_total', 'Reads of the test'),
    now: () => now,
  });

test('a file is a secret of its user alone', async () => {
  write(ANN, 'API_KEY', 'sk-ann\n');
  write(ANN, 'tls.key', 'two\nlines');
  const secrets = open();
  expect(await secrets.find(ANN, 'API_KEY')).toBe('sk-ann');
  expect(await secrets.find(ANN, 'tls.key')).toBe('two\nlines');
  expect(await secrets.find(ANN, 'OTHER')).toBeUndefined();
  expect(await secrets.find(BOB, 'API_KEY')).toBeUndefined();
  expect((await secrets.names(ANN)).toSorted()).toEqual(['API_KEY', 'tls.key']);
});

test.each([
  `../${ANN}/API_KEY`,
  '..',
  '.',
  '',
  '.hidden',
  '/etc/passwd',
  'a/b',
  'a\u0000',
  'a\nb',
  'x'.repeat(129),
])('the name %j leads to no file', async (name) => {
  write(ANN, 'API_KEY', 'sk-ann');
  writeFileSync(join(folder, BOB, '.hidden'), 'hidden');
  expect(await open().find(BOB, name)).toBeUndefined();
});

test('a mounted volume of Kubernetes is read through its links', async () => {
  mkdirSync(join(folder, ANN, '..2026'));
  write(ANN, '..2026/API_KEY', 'of the volume');
  symlinkSync('..2026', join(folder, ANN, '..data'));
  symlinkSync('..data/API_KEY', join(folder, ANN, 'API_KEY'));
  const secrets = open();
  expect(await secrets.find(ANN, 'API_KEY')).toBe('of the volume');
  expect(await secrets.names(ANN)).toEqual(['API_KEY']);
});

test('a secret that is replaced while it is read is the old or the new one', async () => {
  const values = ['old', 'new and longer'];
  const link = join(folder, ANN, 'API_KEY');
  values.forEach((value, index) => writeFileSync(join(folder, `value-${index}`), value));
  let swaps = 0;
  const swap = () => {
    symlinkSync(`../value-${(swaps += 1) % 2}`, `${link}.new`);
    renameSync(`${link}.new`, link);
  };
  swap();
  const source = new SecretFolder(folder);
  for (let reads = 0; reads < 100; reads += 1) {
    let isOver = false;
    const read = source.read(ANN).finally(() => (isOver = true));
    while (!isOver) {
      swap();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(values).toContain((await read).get('API_KEY'));
  }
});

test('a changed secret counts after 30 s, also one that was missing', async () => {
  write(ANN, 'API_KEY', 'old');
  const secrets = open();
  expect([await secrets.find(ANN, 'API_KEY'), await secrets.find(BOB, 'NEW')]).toEqual(['old', undefined]);
  write(ANN, 'API_KEY', 'new');
  write(BOB, 'NEW', 'there');
  now = 29_999;
  expect([await secrets.find(ANN, 'API_KEY'), await secrets.find(BOB, 'NEW')]).toEqual(['old', undefined]);
  now = 30_000;
  expect([await secrets.find(ANN, 'API_KEY'), await secrets.find(BOB, 'NEW')]).toEqual(['new', 'there']);
});

test('while the folder is away a secret counts for five minutes, then it is an error until the folder is back', async () => {
  write(ANN, 'API_KEY', 'sk-ann');
  const secrets = open();
  await secrets.find(ANN, 'API_KEY');
  renameSync(folder, join(root, 'away'));
  now = 299_999;
  expect(await secrets.find(ANN, 'API_KEY')).toBe('sk-ann');
  await expect(secrets.find(BOB, 'API_KEY')).rejects.toMatchObject(UNAVAILABLE);
  now = 310_000;
  await expect(secrets.find(ANN, 'API_KEY')).rejects.toMatchObject(UNAVAILABLE);
  const error = expect.objectContaining({ code: 'ENOENT' });
  const failed = (userId: string, isUsable: boolean) => ({ error, userId, isUsable });
  expect(logger.fieldsOf('the secrets of a user could not be read from their store')).toEqual([
    failed(ANN, true),
    failed(BOB, false),
    failed(ANN, false),
  ]);
  renameSync(join(root, 'away'), folder);
  // Not asked again at once.
  await expect(secrets.find(ANN, 'API_KEY')).rejects.toMatchObject(UNAVAILABLE);
  now = 313_001;
  expect(await secrets.find(ANN, 'API_KEY')).toBe('sk-ann');
});

test('what is no text is an error of its name alone, and too much is one of its user', async () => {
  write(ANN, 'BINARY', Buffer.from([0xff, 0xfe]));
  write(ANN, 'API_KEY', 'sk-ann');
  for (const name of ['ONE', 'TWO']) write(BOB, name, 'x'.repeat(524_289));
  const secrets = open();
  await expect(secrets.find(ANN, 'BINARY')).rejects.toMatchObject(UNAVAILABLE);
  expect(await secrets.find(ANN, 'API_KEY')).toBe('sk-ann');
  await expect(secrets.find(BOB, 'ONE')).rejects.toMatchObject(UNAVAILABLE);
});
