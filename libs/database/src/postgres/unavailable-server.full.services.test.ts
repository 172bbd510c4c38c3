import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '@millrace/service';
import { raise } from '../contract/sql-states.contract';
import { DatabaseUnavailableError } from '../database';
import type { Database } from '../database';
import { SQL_STATES } from '../sqlstate';
import { openPostgresDatabase } from './open-postgres-database';

const logger = createLogger({ name: 'test', level: 'silent' });
const address = process.env['DATABASE_URL'];
if (address === undefined) throw new Error('DATABASE_URL must name a PostgreSQL server for these tests');
const url = address;

const backendOf = async (database: Database) =>
  (await database.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' })).rows[0]!.pid;

describe('the connection after an error', () => {
  let database: Database;

  beforeAll(() => {
    database = openPostgresDatabase({ url, name: 'test', logger, maximumConnections: 1 });
  });

  afterAll(() => database.close());

  test.each(SQL_STATES.map(({ state, connection }) => [state, connection] as const))(
    'with SQLSTATE %s is %s',
    async (state, fate) => {
      const before = await backendOf(database);
      // A connection to a read-only server is kept for its first second.
      if (fate === 'all dropped') await pause(1_100);
      await expect(database.query(raise(state))).rejects.toThrow();
      const after = await backendOf(database);
      expect(after === before).toBe(fate === 'kept');
      const inside = database.transaction((connection) => connection.query(raise(state)));
      await expect(inside).rejects.toThrow();
      expect((await backendOf(database)) === after).toBe(fate !== 'dropped');
    },
  );
});

describe('a read-only server', () => {
  const name = `read_only_${randomUUID().replaceAll('-', '')}`;
  let administrator: Database;
  let database: Database;

  /** Applies to new connections: existing ones keep their state, as after a failover. */
  const become = (state: 'writable' | 'read-only') =>
    administrator.query({
      text: `ALTER DATABASE ${name} SET default_transaction_read_only = ${state === 'writable' ? 'off' : 'on'}`,
    });

  beforeEach(async () => {
    administrator = openPostgresDatabase({ url, name: 'test', logger, maximumConnections: 1 });
    await administrator.query({ text: `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0` });
    const own = new URL(url);
    own.pathname = `/${name}`;
    database = openPostgresDatabase({ url: own.href, name: 'test', logger, maximumConnections: 3 });
  });

  afterEach(async () => {
    await database.close();
    await administrator.query({ text: `DROP DATABASE ${name} WITH (FORCE)` });
    await administrator.close();
  });

  /** Opens several read-only connections that are older than a second. */
  const dialReadOnly = async () => {
    await become('read-only');
    await Promise.all(Array.from({ length: 3 }, () => database.query({ text: 'SELECT pg_sleep(0.1)' })));
    await pause(1_100);
    await become('writable');
  };
  let tables = 0;
  /** Creates a new table each time: concurrent creations of the same table conflict. */
  const write = () => database.query({ text: `CREATE TABLE written_${(tables += 1)} (id integer)` });

  test('is unavailable, and all connections to it are replaced', async () => {
    await dialReadOnly();
    await expect(write()).rejects.toMatchObject({ code: 'database_unavailable', sqlState: '25006' });
    const others = await Promise.allSettled(Array.from({ length: 6 }, write));
    expect(others.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  test('is not ready, and a ping is enough to find the writable server', async () => {
    await dialReadOnly();
    await expect(database.ping()).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await expect(database.ping()).resolves.toBeUndefined();
    await expect(write()).resolves.toBeDefined();
  });

  test('fails transactions, and the next transaction finds the writable server', async () => {
    await dialReadOnly();
    const create = () =>
      database.transaction((connection) => connection.query({ text: 'CREATE TABLE t ()' }));
    await expect(create()).rejects.toMatchObject({ sqlState: '25006' });
    await expect(create()).resolves.toBeDefined();
  });

  test('is reconnected to once a second while it stays read-only', async () => {
    await dialReadOnly();
    await become('read-only');
    const backends = new Set<number>();
    for (let count = 0; count < 20; count += 1) {
      await expect(write()).rejects.toMatchObject({ sqlState: '25006' });
      backends.add(await backendOf(database));
    }
    expect(backends.size).toBeLessThan(10);
  });
});
