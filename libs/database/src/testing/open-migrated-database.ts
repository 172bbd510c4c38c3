import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import type { Logger } from '@millrace/service';
import type { Database } from '../database';
import { openEmbeddedDatabase } from '../embedded/open-embedded-database';
import { migrate } from '../migrate/migrate';
import { readMigrationFiles } from '../migrate/migration-file';
import { openBlockingDatabase } from './open-blocking-database';
import { pgliteInThread } from './pglite-in-thread';

/**
 * Opens an embedded database in memory that has all tables: a copy of an image, because migrating takes longer than many
 * a test.
 */
export async function openMigratedDatabase(logger: Logger): Promise<Database> {
  const image = await migratedImage(logger);
  return openEmbeddedDatabase({ dataDirectory: undefined, name: 'test', image, logger });
}

/** Resolves to the path of the image; creates it when there is none for these migrations. */
async function migratedImage(logger: Logger): Promise<string> {
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
