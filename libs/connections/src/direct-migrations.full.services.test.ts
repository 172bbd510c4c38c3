import { randomUUID } from 'node:crypto';
import { migrationStatus, openDatabase } from '@millrace/database';
import { createLogger, createMetrics, Health } from '@millrace/service';
import { awaitMigrations } from './await-migrations';
import { openConnections } from './connections';

const logger = createLogger({ name: 'test', level: 'silent' });

/** Two databases represent a pooler and the server behind it, which shows which of them was migrated. */
async function openDatabases() {
  const server = process.env['DATABASE_URL'];
  if (!server) throw new Error('DATABASE_URL is not set: this test needs a PostgreSQL server');
  const administrator = await openDatabase({ url: server, logger, name: 'test', maximumConnections: 1 });
  const names = ['pooled', 'direct'].map((name) => `${name}_${randomUUID().replaceAll('-', '')}`);
  for (const name of names)
    await administrator.query({ text: `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0` });
  const urls = names.map((name) => Object.assign(new URL(server), { pathname: `/${name}` }).href);
  return {
    urls,
    async close() {
      for (const name of names) await administrator.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
      await administrator.close();
    },
  };
}

const open = (
  databaseUrl: string | undefined,
  directDatabaseUrl: string | undefined,
  more: { migrate?: boolean; awaitsMigrations?: boolean } = {},
) =>
  openConnections({
    name: 'test',
    instance: 'test',
    databaseUrl,
    directDatabaseUrl,
    brokerUrl: undefined,
    keyValueUrl: undefined,
    tls: {},
    dataDirectory: undefined,
    prefix: '',
    pools: ['default'],
    maximumDatabaseConnections: 1,
    migrate: true,
    logger,
    metrics: createMetrics(),
    health: new Health(),
    ...more,
  });

const isMigrated = async (url: string | undefined) => {
  const database = await openDatabase({ url, logger, name: 'test', maximumConnections: 1 });
  const statuses = await migrationStatus(database);
  await database.close();
  return statuses.every(({ state }) => state === 'applied');
};

test('migrations use DATABASE_DIRECT_URL, or DATABASE_URL if it is not set', async () => {
  const databases = await openDatabases();
  const [pooled, direct] = databases.urls;
  try {
    await (await open(pooled, direct)).close();
    expect([await isMigrated(pooled), await isMigrated(direct)]).toEqual([false, true]);
    await (await open(pooled, undefined)).close();
    expect(await isMigrated(pooled)).toBe(true);
  } finally {
    await databases.close();
  }
}, 60_000);

test('the error for an unavailable direct database names its setting', async () => {
  const databases = await openDatabases();
  try {
    const failure = open(databases.urls[0], 'postgres://ann:hunter22@127.0.0.1:1/mill');
    await expect(failure).rejects.toThrow('PostgreSQL at 127.0.0.1:1 (DATABASE_DIRECT_URL) cannot be used');
  } finally {
    await databases.close();
  }
}, 60_000);

test('a process that does not migrate opens once another one has migrated', async () => {
  const databases = await openDatabases();
  const [url] = databases.urls;
  try {
    let isOpen = false;
    const waiting = open(url, undefined, { migrate: false, awaitsMigrations: true }).then((connections) => {
      isOpen = true;
      return connections;
    });
    await (await open(undefined, undefined)).close();
    expect(isOpen).toBe(false);
    await (await open(url, undefined)).close();
    await (await waiting).close();
  } finally {
    await databases.close();
  }
});

test('a process whose migrations are not applied in time names the first one', async () => {
  const databases = await openDatabases();
  const database = await openDatabase({
    url: databases.urls[0],
    logger,
    name: 'test',
    maximumConnections: 1,
  });
  try {
    await expect(awaitMigrations(database, { logger, maximumMilliseconds: 0 })).rejects.toThrow(
      /migrations of this release have not been applied, such as 1 users: run the role migrate/,
    );
  } finally {
    await database.close();
    await databases.close();
  }
});
