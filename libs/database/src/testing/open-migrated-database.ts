import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import type { Logger } from '@millrace/service';
import type { Database } from '../database';
import { databaseOf } from '../embedded/database-of-server';
import { migrate } from '../migrate/migrate';
import { readMigrationFiles } from '../migrate/migration-file';
import { leaseThread } from './kept-threads';
import { openBlockingDatabase } from './open-blocking-database';
import { pgliteInThread } from './pglite-in-thread';

/**
 * Opens an embedded database in memory that has all tables: in a thread that an earlier test file of the process used, or
 * in a new one with a copy of an image. Starting and migrating a database takes longer than many a test.
 */
export async function openMigratedDatabase(logger: Logger): Promise<Database> {
  const { server, close } = await leaseThread(await migratedImage(logger));
  return databaseOf(server, { logger, afterClose: close });
}

/** Resolves to the path of an image with all tables; creates it when there is none for these migrations. */
export async function migratedImage(logger: Logger): Promise<string> {
  const checksums = readMigrationFiles().map(({ checksum }) => checksum);
  const key = createHash('sha256').update(checksums.join()).digest('hex').slice(0, 16);
  const path = pgliteInThread().imagePath(`migrated-database-${key}`);
  if (existsSync(path)) return path;
  const database = await openBlockingDatabase({ logger, now: Date.now, storeAt: path });
  try {
    await migrate(database, { logger });
  } catch (error) {
    await database.close();
    rmSync(path, { force: true });
    throw error;
  }
  await database.close();
  return path;
}
