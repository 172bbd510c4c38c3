import { setTimeout as sleep } from 'node:timers/promises';
import { migrationStatus } from '@millrace/database';
import type { Database } from '@millrace/database';
import { machineTime, StartError } from '@millrace/service';
import type { Logger } from '@millrace/service';

/** As long as the start of a process may take in the Helm chart. */
const MAXIMUM_WAIT_MILLISECONDS = 300_000;
const PAUSE_MILLISECONDS = 1_000;

/**
 * Resolves when all migrations of this release are applied, by another process. Throws StartError after five minutes: a
 * restart then waits again.
 */
export async function awaitMigrations(
  database: Database,
  {
    logger,
    maximumMilliseconds = MAXIMUM_WAIT_MILLISECONDS,
  }: { readonly logger: Logger; readonly maximumMilliseconds?: number },
): Promise<void> {
  const startedAt = machineTime();
  for (let isFirst = true; ; isFirst = false) {
    const statuses = await migrationStatus(database);
    const pending = statuses
      .filter(({ state }) => state === 'pending')
      .map(({ name, version }) => `${version} ${name}`);
    if (pending.length === 0) return;
    if (isFirst) logger.warn({ pending }, 'the start waits: another process has to migrate the database');
    if (machineTime() - startedAt >= maximumMilliseconds)
      throw new StartError(
        `${pending.length} migrations of this release have not been applied, such as ${pending[0]}: run the role migrate, or a gateway with MILLRACE_MIGRATE=on`,
      );
    await sleep(PAUSE_MILLISECONDS);
  }
}
