import { randomBytes } from 'node:crypto';
import { migrationStatus, openDatabase } from '@millrace/database';
import { createLogger } from '@millrace/service';
import { migrateOnly } from './migrate-only';

const logger = createLogger({ name: 'migrate-test', level: 'silent' });

test('migrates an empty database, and finds nothing to do the second time', async () => {
  const server = process.env['DATABASE_URL'];
  if (!server)
    throw new Error(
      'DATABASE_URL is not set: this suite needs a real PostgreSQL (npm test finds or starts one)',
    );
  const name = `millrace_migrate_${randomBytes(6).toString('hex')}`;
  const administrator = await openDatabase({
    url: server,
    logger,
    name: 'migrate-test',
    maximumConnections: 1,
  });
  await administrator.query({ text: `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0` });
  const url = new URL(server);
  url.pathname = `/${name}`;
  try {
    await migrateOnly({ url: url.href, tls: undefined }, logger);
    await migrateOnly({ url: url.href, tls: undefined }, logger);
    const database = await openDatabase({
      url: url.href,
      logger,
      name: 'migrate-test',
      maximumConnections: 1,
    });
    const status = await migrationStatus(database);
    await database.close();
    expect(status.every(({ appliedAt }) => appliedAt !== null)).toBe(true);
  } finally {
    await administrator.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
    await administrator.close();
  }
});

test('reports a missing setting', async () => {
  await expect(migrateOnly({ url: undefined, tls: undefined }, logger)).rejects.toThrow(
    'DATABASE_URL must be set',
  );
});
