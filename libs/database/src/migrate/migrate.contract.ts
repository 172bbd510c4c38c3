import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@millrace/service';
import type { Database } from '../database';
import { migrate } from './migrate';
import { MigrationError } from './migration-error';
import { migrationStatus } from './migration-status';

const logger = createLogger({ name: 'test', level: 'silent' });

/** Contract of migrations on every Database. `openEmpty` opens a database without tables; `release` ends its use. */
export function describeMigrations(
  name: string,
  openEmpty: () => Promise<Database>,
  release: (database: Database) => Promise<void>,
): void {
  describe(`Migrations: ${name}`, () => {
    let database: Database;
    let directory: string;

    beforeEach(async () => {
      database = await openEmpty();
      directory = mkdtempSync(join(tmpdir(), 'millrace-migrations-'));
      write('0001_boats', 'CREATE TABLE boats (id integer PRIMARY KEY); CREATE INDEX ON boats (id);');
      write('0002_names', 'ALTER TABLE boats ADD COLUMN name text; INSERT INTO boats VALUES (1, $$Ente$$);');
    });

    afterEach(async () => {
      await release(database);
      rmSync(directory, { recursive: true });
    });

    function write(migration: string, text: string): void {
      writeFileSync(join(directory, `${migration}.sql`), text);
    }

    const states = async () => (await migrationStatus(database, { directory })).map(({ state }) => state);

    test('are applied once, in the order of their numbers', async () => {
      expect(await states()).toEqual(['pending', 'pending']);
      expect(await migrate(database, { logger, directory })).toEqual(['0001_boats', '0002_names']);
      expect(await migrate(database, { logger, directory })).toEqual([]);
      expect(await states()).toEqual(['applied', 'applied']);
      write('0003_more', `INSERT INTO boats VALUES (2, 'Gans')`);
      expect(await migrate(database, { logger, directory })).toEqual(['0003_more']);
      const { rows } = await database.query({ text: 'SELECT id, name FROM boats ORDER BY id' });
      expect(rows).toEqual([
        { id: 1, name: 'Ente' },
        { id: 2, name: 'Gans' },
      ]);
    });

    test('are applied once when several processes start at the same time', async () => {
      const applied = await Promise.all(
        Array.from({ length: 4 }, () => migrate(database, { logger, directory })),
      );
      expect(applied.flat().sort()).toEqual(['0001_boats', '0002_names']);
    });

    test('that fail leave nothing behind, are named in the error, and can be fixed', async () => {
      write('0003_broken', 'CREATE TABLE half (id integer); SELECT 1 / 0;');
      await expect(migrate(database, { logger, directory })).rejects.toThrow(
        /^Migration 0003_broken failed: division by zero/,
      );
      expect(await states()).toEqual(['applied', 'applied', 'pending']);
      write('0003_broken', 'CREATE TABLE half (id integer);');
      expect(await migrate(database, { logger, directory })).toEqual(['0003_broken']);
    });

    test('that were changed after they had been applied are refused', async () => {
      await migrate(database, { logger, directory });
      write('0001_boats', 'CREATE TABLE ships (id integer);');
      await expect(migrate(database, { logger, directory })).rejects.toBeInstanceOf(MigrationError);
      expect(await states()).toEqual(['changed', 'applied']);
    });

    test('of a newer program are reported and left unchanged', async () => {
      await migrate(database, { logger, directory });
      rmSync(join(directory, '0002_names.sql'));
      expect(await migrate(database, { logger, directory })).toEqual([]);
      expect(await states()).toEqual(['applied', 'unknown']);
    });

    test('need unique numbers and proper names', async () => {
      write('0002_other', 'SELECT 1');
      await expect(migrate(database, { logger, directory })).rejects.toThrow(/have the number 2/);
      rmSync(join(directory, '0002_other.sql'));
      write('three', 'SELECT 1');
      await expect(migrate(database, { logger, directory })).rejects.toThrow(/is not named NNNN_name.sql/);
    });

    test('of Millrace all apply', async () => {
      const applied = await migrate(database, { logger });
      expect(applied.length).toBeGreaterThan(0);
      expect((await migrationStatus(database)).every(({ state }) => state === 'applied')).toBe(true);
    });
  });
}
