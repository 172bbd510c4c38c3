import { randomUUID } from 'node:crypto';
import { migrate, openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { createLogger } from '@millrace/service';

/** A separate database with all tables; `close` removes it completely. */
export interface TestDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

const logger = createLogger({ name: 'test', level: 'silent' });

/** Opens an embedded database in memory. */
export async function openEmbedded(): Promise<TestDatabase> {
  const database = await openMigratedDatabase(logger);
  return { database, close: () => database.close() };
}

/** Opens a new schema on the server that DATABASE_URL names. */
export async function openOnServer(): Promise<TestDatabase> {
  const url = process.env['DATABASE_URL'];
  if (url === undefined) throw new Error('DATABASE_URL must name a PostgreSQL server for these tests');
  const server = await openDatabase({ url, logger, name: 'test', maximumConnections: 1 });
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  await server.query({ text: `CREATE SCHEMA ${schema}` });
  const address = new URL(url);
  address.searchParams.set('options', `-c search_path=${schema}`);
  const database = await openDatabase({ url: address.href, logger, name: 'test', maximumConnections: 10 });
  const close = async () => {
    await database.close();
    await server.query({ text: `DROP SCHEMA ${schema} CASCADE` });
    await server.close();
  };
  try {
    await migrate(database, { logger });
  } catch (error) {
    await close();
    throw error;
  }
  return { database, close };
}

/** Opens a new database on the server, whose connections no other test sees. */
export async function openNewDatabase(): Promise<TestDatabase & { readonly url: string }> {
  const server = process.env['DATABASE_URL'];
  if (server === undefined) throw new Error('DATABASE_URL must name a PostgreSQL server for these tests');
  const administrator = await openDatabase({ url: server, logger, name: 'test', maximumConnections: 1 });
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administrator.query({ text: `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0` });
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const database = await openDatabase({ url, logger, name: 'test', maximumConnections: 10 });
  const close = async () => {
    await database.close();
    await administrator.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
    await administrator.close();
  };
  try {
    await migrate(database, { logger });
  } catch (error) {
    await close();
    throw error;
  }
  return { url, database, close };
}
