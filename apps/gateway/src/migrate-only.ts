import { migrate, openDatabase } from '@millrace/database';
import { SettingsError } from '@millrace/service';
import type { Logger, TlsMaterial } from '@millrace/service';

/** Migrates a database, for deployments that do so before their services start. */
export async function migrateOnly(
  { url, tls }: { readonly url: string | undefined; readonly tls: TlsMaterial | undefined },
  logger: Logger,
): Promise<void> {
  if (url === undefined)
    throw new SettingsError(['DATABASE_URL must be set: there is no database to migrate']);
  const database = await openDatabase({
    url,
    tls,
    logger,
    name: 'millrace-migrate',
    maximumConnections: 1,
  });
  try {
    await migrate(database, { logger });
    logger.info({ version: await database.version() }, 'the database is up to date');
  } finally {
    await database.close();
  }
}
