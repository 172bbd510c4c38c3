import { startPgbouncer } from '@millrace/scaled-system';
import type { Pgbouncer, PgbouncerOptions } from '@millrace/scaled-system';

/** Starts a PgBouncer in front of the test server, or of another database on it. */
export function startTestPgbouncer(
  options: Pick<PgbouncerOptions, 'mode' | 'settings'> & { readonly databaseUrl?: string },
): Promise<Pgbouncer> {
  const program = process.env['PGBOUNCER'];
  const databaseUrl = process.env['DATABASE_URL'];
  if (!program || !databaseUrl)
    throw new Error(
      'PGBOUNCER must name the program, and DATABASE_URL a server: npm test finds or installs both',
    );
  return startPgbouncer({ program, databaseUrl, ...options });
}
