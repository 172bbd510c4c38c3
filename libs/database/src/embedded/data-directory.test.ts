import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@millrace/service';
import type { Database } from '../database';
import { migrationStatus } from '../migrate/migration-status';
import { cachedImage, readImage } from './data-directory-image';
import { DataDirectoryInUseError, DataDirectoryLock } from './data-directory-lock';
import { openEmbeddedDatabase } from './open-embedded-database';
import { prepareDataDirectory } from './prepare-data-directory';

const logger = createLogger({ name: 'test', level: 'silent' });

// Other suites run concurrently.
jest.setTimeout(120_000);

describe('a data directory', () => {
  let root: string;
  let dataDirectory: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'millrace-data-'));
    dataDirectory = join(root, 'deep', 'postgres');
  });

  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  const open = (name = 'test'): Promise<Database> => openEmbeddedDatabase({ dataDirectory, name, logger });

  /** Creating a database takes seconds; the tests of a first start do so, in data-directory.full.test.ts. */
  const copyImage = () =>
    prepareDataDirectory({ dataDirectory, durability: 'fsync', logger, image: cachedImage() });

  test('keeps its data between two openings', async () => {
    await copyImage();
    const first = await open();
    await first.query({ text: `CREATE TABLE boats AS SELECT 'Ente' AS name` });
    await expect(open('second')).rejects.toThrow(DataDirectoryInUseError);
    await first.close();
    const second = await open();
    expect((await second.query({ text: 'SELECT name FROM boats' })).rows).toEqual([{ name: 'Ente' }]);
    await second.close();
    expect(readdirSync(join(root, 'deep'))).toEqual(['postgres']);
  });

  test('is a copy of an image with all tables, for its owner alone', async () => {
    await copyImage();
    const paths = readdirSync(dataDirectory, { recursive: true, encoding: 'utf8' });
    expect(paths.length).toBeGreaterThan(300);
    for (const path of ['', ...paths]) expect(statSync(join(dataDirectory, path)).mode & 0o077).toBe(0);
    const database = await open();
    expect((await migrationStatus(database)).every(({ state }) => state === 'applied')).toBe(true);
    await database.close();
  });

  test.each([
    ['cut off', (image: Buffer) => image.subarray(0, image.length - 100)],
    ['changed in one bit', (image: Buffer) => image.fill((image[1_000_000] ?? 0) ^ 1, 1_000_000, 1_000_001)],
  ])('is not a copy of an image that was %s', async (_, damage) => {
    const image = join(root, 'damaged.image');
    writeFileSync(image, damage(readFileSync(cachedImage())));
    expect(() => readImage(image)).toThrow();
  });

  test('that contains other files is refused and left unchanged', async () => {
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(join(dataDirectory, 'letters.txt'), 'mine');
    await expect(open()).rejects.toThrow(`${dataDirectory} is not empty and contains no database`);
    expect(readdirSync(dataDirectory)).toEqual(['letters.txt']);
    expect(readdirSync(join(root, 'deep'))).toEqual(['postgres']);
  });
});

describe('the lock of a data directory', () => {
  let dataDirectory: string;

  beforeEach(() => {
    dataDirectory = join(mkdtempSync(join(tmpdir(), 'millrace-lock-')), 'data');
  });

  afterEach(() => {
    rmSync(join(dataDirectory, '..'), { recursive: true });
  });

  const leaveBehind = (holder: object) => {
    const details = { token: 'old', name: 'ended', host: hostname(), ...holder };
    writeFileSync(`${dataDirectory}.lock`, JSON.stringify(details));
  };

  test('can be acquired once, also within one process, and again after its release', () => {
    const lock = DataDirectoryLock.acquire(dataDirectory, 'first');
    expect(() => DataDirectoryLock.acquire(dataDirectory, 'second')).toThrow(
      `in use by first (process ${process.pid} on ${hostname()})`,
    );
    lock.release();
    lock.release();
    const next = DataDirectoryLock.acquire(dataDirectory, 'second');
    lock.release();
    expect(() => DataDirectoryLock.acquire(dataDirectory, 'third')).toThrow(/in use by second/);
    next.release();
  });

  test('is taken over from a process that no longer exists', () => {
    leaveBehind({ pid: 2 ** 22 + 1, processStart: '1' });
    DataDirectoryLock.acquire(dataDirectory, 'next').release();
  });

  test('is taken over from a process whose id now belongs to another process', () => {
    leaveBehind({ pid: process.pid, processStart: 'some other time' });
    DataDirectoryLock.acquire(dataDirectory, 'next').release();
  });

  test('is not taken over from a process on another machine', () => {
    leaveBehind({ pid: 2 ** 22 + 1, processStart: '1', host: 'another' });
    expect(() => DataDirectoryLock.acquire(dataDirectory, 'next')).toThrow(DataDirectoryInUseError);
  });

  test('is taken over when it is unreadable', () => {
    writeFileSync(`${dataDirectory}.lock`, '');
    DataDirectoryLock.acquire(dataDirectory, 'next').release();
  });
});
