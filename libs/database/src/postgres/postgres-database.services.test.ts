import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import type { Database } from '../database';
import { DatabaseUnavailableError } from '../database';
import { describeDatabase } from '../database.contract';
import { openPostgresDatabase } from './open-postgres-database';

const logger = createLogger({ name: 'test', level: 'silent' });
const address = process.env['DATABASE_URL'];
if (address === undefined) throw new Error('DATABASE_URL must name a PostgreSQL server for these tests');
const url = address;

const open = (): Database => openPostgresDatabase({ url, name: 'test', logger });

describeDatabase('PostgreSQL', (limits) =>
  Promise.resolve(openPostgresDatabase({ url, name: 'test', logger, ...limits })),
);

describe('a PostgreSQL server', () => {
  test('runs statements concurrently', async () => {
    const database = open();
    const other = open();
    const key = randomInt(2 ** 31);
    let waiting: Promise<unknown> | undefined;
    await other.transaction(async (holder) => {
      await holder.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [key] });
      const statement = { text: 'SELECT pg_advisory_xact_lock_shared($1)', values: [key] };
      waiting = Promise.all(Array.from({ length: 5 }, () => database.query(statement)));
      const count = `SELECT count(*)::int AS n FROM pg_locks
        WHERE locktype = 'advisory' AND objid = $1::int::oid AND NOT granted`;
      await until(async () => {
        const { rows } = await other.query<{ n: number }>({ text: count, values: [key] });
        return rows[0]?.n === 5;
      });
    });
    await waiting;
    await Promise.all([database.close(), other.close()]);
  });

  test('shows the name of the program', async () => {
    const database = openPostgresDatabase({ url, name: 'millrace-test-name', logger });
    const { rows } = await database.query({ text: 'SHOW application_name' });
    expect(rows).toEqual([{ application_name: 'millrace-test-name' }]);
    await database.close();
  });

  test('that closes a connection fails the statement on it, and the next statement gets a new connection', async () => {
    const database = open();
    const other = open();
    const outcome = database.transaction(async (connection) => {
      const { rows } = await connection.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
      const sleeping = connection.query({ text: 'SELECT pg_sleep(10)' });
      await other.query({ text: 'SELECT pg_terminate_backend($1)', values: [rows[0]!.pid] });
      await sleeping;
    });
    await expect(outcome).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await expect(database.ping()).resolves.toBeUndefined();
    await Promise.all([database.close(), other.close()]);
  });

  test('that closes idle connections does not crash the program', async () => {
    const database = open();
    const other = open();
    const { rows } = await database.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
    await other.query({ text: 'SELECT pg_terminate_backend($1)', values: [rows[0]!.pid] });
    await pause(100);
    await expect(database.ping()).resolves.toBeUndefined();
    await Promise.all([database.close(), other.close()]);
  });

  test('that is not reachable is unavailable', async () => {
    const database = openPostgresDatabase({ url: 'postgres://127.0.0.1:1/none', name: 'test', logger });
    await expect(database.ping()).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await database.close();
  });

  test('that accepts connections and never answers is unavailable after the connection timeout', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const database = openPostgresDatabase({
      url: `postgres://127.0.0.1:${port}/none`,
      name: 'test',
      logger,
      connectionTimeoutMilliseconds: 200,
    });
    await expect(database.ping()).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await database.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  test('that has no connection left limits the number of waiting callers and their waiting time', async () => {
    const database = openPostgresDatabase({
      url,
      name: 'test',
      logger,
      maximumConnections: 1,
      connectionTimeoutMilliseconds: 1_000,
    });
    const busy = database.query({ text: 'SELECT pg_sleep(4)' });
    const outcomes = await Promise.allSettled(Array.from({ length: 1_200 }, () => database.ping()));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    await busy;
    await expect(database.ping()).resolves.toBeUndefined();
    await database.close();
  });
});
