import { randomUUID } from 'node:crypto';
import { createLogger } from '@millrace/service';
import { openDatabase } from '../open-database';
import { migrate } from './migrate';
import { describeMigrations } from './migrate.contract';

const logger = createLogger({ name: 'test', level: 'silent' });
const url = process.env['DATABASE_URL'];
if (url === undefined) throw new Error('DATABASE_URL must name a PostgreSQL server for these tests');

const schemas: string[] = [];

const openEmpty = async () => {
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  schemas.push(schema);
  await withServer((text) => text(`CREATE SCHEMA ${schema}`));
  const address = new URL(url);
  address.searchParams.set('options', `-c search_path=${schema}`);
  return openDatabase({ url: address.href, name: 'test', logger, maximumConnections: 4 });
};

describeMigrations('PostgreSQL', openEmpty, (database) => database.close());

test('long texts are compressed with lz4 where the server has it', async () => {
  const database = await openEmpty();
  try {
    await migrate(database, { logger });
    const { rows } = await database.query<{ column: string; compression: string; hasLz4: boolean }>({
      text: `SELECT attrelid::regclass || '.' || attname AS "column", attcompression::text AS compression,
          (SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'default_toast_compression') AS "hasLz4"
        FROM pg_attribute WHERE (attrelid, attname) IN
          (('runs'::regclass, 'request'), ('runs'::regclass, 'result'), ('messages'::regclass, 'body'))`,
    });
    expect(rows.map(({ column }) => column).sort()).toEqual(['messages.body', 'runs.request', 'runs.result']);
    for (const { compression, hasLz4 } of rows) expect(compression).toBe(hasLz4 ? 'l' : '');
  } finally {
    await database.close();
  }
});

test('a new database that is not encoded in UTF8 is refused, and stays empty', async () => {
  const name = `test_ascii_${randomUUID().replaceAll('-', '')}`;
  const collation = `LC_COLLATE 'C' LC_CTYPE 'C'`;
  await withServer((text) =>
    text(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' ${collation} TEMPLATE template0`),
  );
  const address = new URL(url);
  address.pathname = `/${name}`;
  const database = await openDatabase({ url: address.href, name: 'test', logger, maximumConnections: 1 });
  try {
    await expect(migrate(database, { logger })).rejects.toThrow(
      "The database has the encoding SQL_ASCII, and Millrace needs UTF8. Create it with: CREATE DATABASE millrace ENCODING 'UTF8' TEMPLATE template0",
    );
    const { rows } = await database.query({ text: `SELECT 1 FROM pg_tables WHERE tablename = 'runs'` });
    expect(rows).toEqual([]);
  } finally {
    await database.close();
    await withServer((text) => text(`DROP DATABASE ${name} WITH (FORCE)`));
  }
});

afterAll(async () => {
  await withServer(async (text) => {
    for (const schema of schemas) await text(`DROP SCHEMA ${schema} CASCADE`);
  });
});

async function withServer(
  work: (text: (sql: string) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const database = await openDatabase({ url, name: 'test', logger });
  await work((sql) => database.query({ text: sql }));
  await database.close();
}
