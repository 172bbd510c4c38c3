import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@millrace/service';
import type { Database } from '../database';
import { migrationStatus } from '../migrate/migration-status';
import { startDatabaseProgram } from '../testing/start-database-program';
import { cachedImage } from './data-directory-image';
import { openEmbeddedDatabase } from './open-embedded-database';
import { prepareDataDirectory } from './prepare-data-directory';

const logger = createLogger({ name: 'test', level: 'silent' });

/** Migrates, then inserts rows one by one and prints the acknowledged ids. */
const writer = `
  async function main() {
    const opened = await database.openDatabase({ url: undefined, dataDirectory: process.argv[2], logger, name: 'writer' });
    await database.migrate(opened, { logger });
    await opened.query({ text: 'CREATE TABLE IF NOT EXISTS written (id integer PRIMARY KEY)' });
    for (let id = 1; ; id += 1) {
      await opened.query({ name: 'write', text: 'INSERT INTO written (id) VALUES ($1)', values: [id] });
      console.log(id);
    }
  }
  void main();`;

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

  const open = (): Promise<Database> => openEmbeddedDatabase({ dataDirectory, name: 'test', logger });

  const copyImage = () =>
    prepareDataDirectory({ dataDirectory, durability: 'fsync', logger, image: cachedImage() });

  test('keeps every acknowledged row of a bundled program that is killed, and can be locked again', async () => {
    await copyImage();
    const program = startDatabaseProgram(writer, dataDirectory);
    await program.written(200);
    await expect(open()).rejects.toThrow(`writer (process ${program.pid} on `);
    program.kill();
    await program.ended;
    const database = await open();
    const { rows } = await database.query<{ id: number }>({ text: 'SELECT id FROM written ORDER BY id' });
    const stored = rows.map(({ id }) => id);
    const acknowledged = program.lines.map(Number);
    expect(stored.slice(0, acknowledged.length)).toEqual(acknowledged);
    expect(stored.length - acknowledged.length).toBeLessThanOrEqual(1);
    expect((await migrationStatus(database)).every(({ state }) => state === 'applied')).toBe(true);
    await database.close();
  });

  test('does not fill up with write-ahead log', async () => {
    await copyImage();
    const database = await open();
    const count = async () => {
      const { rows } = await database.query<{ segments: number }>({
        text: `SELECT ((pg_current_wal_lsn() - redo_lsn) / 16777216)::integer AS segments FROM pg_control_checkpoint()`,
      });
      return rows[0]?.segments ?? Infinity;
    };
    const sinceCheckpoint: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      await database.query({
        text: `SELECT pg_logical_emit_message(true, 'boats', repeat('x', 100000)) FROM generate_series(1, 120)`,
      });
      sinceCheckpoint.push(await count());
    }
    // Without checkpoints it would reach 15.
    expect(Math.max(...sinceCheckpoint)).toBeLessThanOrEqual(9);
    await database.close();
  });

  test('is created again after the first start was killed half-way', async () => {
    mkdirSync(`${dataDirectory}.new`, { recursive: true });
    writeFileSync(join(`${dataDirectory}.new`, 'PG_VERSION'), '18');
    const database = await open();
    await expect(database.ping()).resolves.toBeUndefined();
    await database.close();
  });

  test('is created without an image when the image is unreadable', async () => {
    const image = join(root, 'damaged.image');
    writeFileSync(image, 'letters');
    await prepareDataDirectory({ dataDirectory, durability: 'fsync', logger, image });
    const database = await open();
    expect((await migrationStatus(database)).every(({ state }) => state === 'pending')).toBe(true);
    await database.close();
  });
});
