import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pgbouncer } from '@millrace/scaled-system';
import { createLogger } from '@millrace/service';
import { untilSuccess } from '@millrace/service/testing';
import { DatabaseUnavailableError } from '../database';
import type { Database } from '../database';
import { describeDatabase } from '../database.contract';
import { describeMigrations } from '../migrate/migrate.contract';
import { startTestPgbouncer } from '../testing/start-test-pgbouncer';
import { openPostgresDatabase } from './open-postgres-database';

const logger = createLogger({ name: 'test', level: 'silent' });
/** A busy machine takes long to open a connection through two processes. */
const common = { name: 'test', logger, connectionTimeoutMilliseconds: 20_000 };
const direct = process.env['DATABASE_URL'] ?? '';
const CERTIFICATES = join(__dirname, '..', '..', '..', 'connections', 'src', 'testing', 'tls');

const isPrepared = `SELECT count(*) AS count FROM pg_prepared_statements WHERE name = 'named'`;
const named = { name: 'named', text: 'SELECT $1::int4 AS n' };
const preparedBy = async (database: Database) => {
  await database.query({ ...named, values: [1] });
  const { rows } = await database.query<{ count: number }>({ text: isPrepared });
  return rows[0]!.count;
};

describe.each(['session', 'transaction'] as const)('behind PgBouncer in %s mode', (mode) => {
  let pooler: Pgbouncer;
  const opened: Database[] = [];
  const open = (options: Partial<Parameters<typeof openPostgresDatabase>[0]> = {}) => {
    const database = openPostgresDatabase({ url: pooler.url, ...common, ...options });
    opened.push(database);
    return database;
  };

  beforeAll(async () => {
    pooler = await startTestPgbouncer({ mode, settings: { default_pool_size: 8 } });
  });

  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });

  afterAll(() => pooler.stop());

  describeDatabase('it', (limits) =>
    Promise.resolve(openPostgresDatabase({ url: pooler.url, ...common, maximumConnections: 6, ...limits })),
  );

  const databases: string[] = [];
  const onServer = async (text: string) => {
    const database = openPostgresDatabase({ url: direct, ...common, maximumConnections: 1 });
    await database.query({ text });
    await database.close();
  };
  const openEmpty = async () => {
    const name = `test_${randomUUID().replaceAll('-', '')}`;
    databases.push(name);
    await onServer(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
    const url = new URL(pooler.url);
    url.pathname = `/${name}`;
    return openPostgresDatabase({ url: url.href, ...common, maximumConnections: 2 });
  };
  describeMigrations('it', openEmpty, (database) => database.close());
  afterAll(async () => {
    for (const name of databases) await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
  });

  // `millrace rewrite` tells running services of itself in this way.
  test('the server shows the name of a connection while its transaction is open, whatever others do', async () => {
    const name = `held-${randomUUID()}`;
    const others = Array.from({ length: 3 }, (_, index) => open({ name: `other-${index}` }));
    const isShown = async () => {
      for (const other of others) await other.query({ text: 'SELECT 1' });
      const { rows } = await others[0]!.query({
        text: 'SELECT FROM pg_stat_activity WHERE application_name = $1',
        values: [name],
      });
      return rows.length > 0;
    };
    await open({ name, maximumConnections: 1 }).transaction(async (connection) => {
      await connection.query({ text: 'SELECT 1' });
      for (let count = 0; count < 20; count += 1) expect(await isShown()).toBe(true);
    });
  });

  test('statements with the same names do not conflict between connections', async () => {
    const ask = async (database: Database, n: number) => {
      if (n % 3 === 0) return database.transaction((inside) => inside.query({ ...named, values: [n] }));
      return database.query({ ...named, values: [n] });
    };
    const both = [open({ maximumConnections: 4 }), open({ maximumConnections: 4 })];
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => ask(both[n % 2]!, n)));
    expect(answers.map(({ rows }) => rows[0]!['n'])).toEqual(answers.map((_, n) => n));
    await Promise.all(both.map((database) => database.ping()));
  });

  test('statement limits apply within transactions', async () => {
    const database = open({ statementTimeoutMilliseconds: 12_345, transactionTimeoutMilliseconds: 23_456 });
    const { rows } = await database.transaction((inside) =>
      inside.query({
        text: `SELECT current_setting('statement_timeout') AS statement,
          current_setting('idle_in_transaction_session_timeout') AS idle`,
      }),
    );
    expect(rows).toEqual([{ statement: '12345ms', idle: '23456ms' }]);
  });

  test('a statement outside of transactions is cancelled on the server at its time limit', async () => {
    const database = open({ statementTimeoutMilliseconds: 300 });
    const mark = randomUUID();
    await expect(database.query({ text: `SELECT pg_sleep(20) /* ${mark} */` })).rejects.toMatchObject({
      code: 'database_unavailable',
      sqlState: '57014',
    });
    // Not through the pooler: PostgreSQL signals a cancelled backend twice, and the second signal can hit its next statement.
    const administrator = openPostgresDatabase({ url: direct, ...common, maximumConnections: 1 });
    const { rows } = await administrator.query({
      text: `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE $1`,
      values: [`%${mark}%`],
    });
    await administrator.close();
    expect(rows).toEqual([]);
  });

  test('a crash of the pooler is an outage, followed by a reconnect', async () => {
    const database = open();
    await database.ping();
    await pooler.kill();
    await expect(database.ping()).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await pooler.start();
    await untilSuccess(() => database.ping());
  });

  test('closed server connections behind the pooler are an outage, followed by a reconnect', async () => {
    const database = open();
    const sleeping = database.query({ text: 'SELECT pg_sleep(10), pg_backend_pid()' });
    const administrator = openPostgresDatabase({ url: direct, ...common, maximumConnections: 1 });
    const killed = untilSuccess(async () => {
      const { rowCount } = await administrator.query({
        text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(10), %'`,
      });
      if (rowCount === 0) throw new Error('nothing to end yet');
    });
    await expect(sleeping).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await killed;
    await administrator.close();
    await untilSuccess(() => database.ping());
  });

  test('the error names connection parameters that the pooler refuses', async () => {
    const url = new URL(pooler.url);
    url.searchParams.set('options', '-c search_path=other');
    const failure = open({ url: url.href }).ping();
    await expect(failure).rejects.toThrow(/The pooler refuses the parameter "options"/);
  });
});

test('recognizes a pooler that ignores limits instead of refusing them', async () => {
  const settings = { ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout' };
  const pooler = await startTestPgbouncer({ mode: 'transaction', settings });
  const database = openPostgresDatabase({ url: pooler.url, name: 'test', logger });
  try {
    expect(await preparedBy(database)).toBe(0);
    const { rows } = await database.transaction((inside) => inside.query({ text: 'SHOW statement_timeout' }));
    expect(rows).toEqual([{ statement_timeout: '30s' }]);
  } finally {
    await database.close();
    await pooler.stop();
  }
});

test('cancels a statement through a pooler that accepts only encrypted connections', async () => {
  const files = mkdtempSync(join(tmpdir(), 'millrace-pgbouncer-tls-'));
  chmodSync(files, 0o755);
  // PgBouncer runs as another user, which cannot read every folder of this user.
  for (const name of ['server.pem', 'server-key.pem']) {
    copyFileSync(join(CERTIFICATES, name), join(files, name));
    chmodSync(join(files, name), 0o644);
  }
  const settings = {
    client_tls_sslmode: 'require',
    client_tls_cert_file: join(files, 'server.pem'),
    client_tls_key_file: join(files, 'server-key.pem'),
  };
  const pooler = await startTestPgbouncer({ mode: 'transaction', settings });
  const one = { url: pooler.url, name: 'test', logger, statementTimeoutMilliseconds: 300 };
  const database = openPostgresDatabase({ ...one, ssl: { rejectUnauthorized: false } });
  const inTheClear = openPostgresDatabase(one);
  try {
    await expect(inTheClear.ping()).rejects.toThrow('SSL required');
    await expect(database.query({ text: 'SELECT pg_sleep(20)' })).rejects.toMatchObject({
      sqlState: '57014',
    });
  } finally {
    await Promise.all([database.close(), inTheClear.close()]);
    await pooler.stop();
    rmSync(files, { recursive: true });
  }
});

test('a connection whose statement was cancelled is not used again', async () => {
  const pooler = await startTestPgbouncer({ mode: 'session' });
  const database = openPostgresDatabase({
    url: pooler.url,
    name: 'test',
    logger,
    maximumConnections: 1,
    statementTimeoutMilliseconds: 300,
  });
  const mark = async () => {
    const { rows } = await database.query({ text: `SELECT current_setting('test.mark', true) AS mark` });
    return rows[0]?.['mark'] || null;
  };
  try {
    // In session mode a setting lasts as long as the connection.
    await database.query({ text: `SELECT set_config('test.mark', 'kept', false)` });
    expect(await mark()).toBe('kept');
    await expect(database.query({ text: 'SELECT pg_sleep(20)' })).rejects.toMatchObject({
      sqlState: '57014',
    });
    expect(await mark()).toBeNull();
  } finally {
    await database.close();
    await pooler.stop();
  }
});

describe('prepared statements', () => {
  const preparing = async (url: string, preparedStatements?: 'auto' | 'on' | 'off') => {
    const one = { url, name: 'test', logger, maximumConnections: 1 };
    const database = openPostgresDatabase(
      preparedStatements === undefined ? one : { ...one, preparedStatements },
    );
    const count = await preparedBy(database);
    await database.close();
    return count;
  };

  test('are used without a pooler, unless disabled by the settings', async () => {
    expect(await preparing(direct)).toBe(1);
    expect(await preparing(direct, 'on')).toBe(1);
    expect(await preparing(direct, 'off')).toBe(0);
  });

  test('are used behind a pooler when enabled by the settings', async () => {
    const pooler = await startTestPgbouncer({ mode: 'session' });
    expect(await preparing(pooler.url)).toBe(0);
    expect(await preparing(pooler.url, 'on')).toBe(1);
    await pooler.stop();
  });

  test('are disabled when the server loses one', async () => {
    const database = openPostgresDatabase({ url: direct, ...common, maximumConnections: 1 });
    expect(await preparedBy(database)).toBe(1);
    await database.query({ text: 'DEALLOCATE ALL' });
    await expect(preparedBy(database)).rejects.toMatchObject({ sqlState: '26000' });
    expect(await preparedBy(database)).toBe(0);
    await database.close();
  });
});
