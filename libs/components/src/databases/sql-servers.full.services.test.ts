import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { defineComponent, text } from '@millrace/flow';
import { createConnection } from 'mysql2';
import { Client } from 'pg';
import { Message } from '@millrace/python-text';
import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { dial, resourcesWith } from '../testing/run-resources.fixture';
import { describeTables } from '../integrations/sql/describe-tables';
import { startEncryptedPostgres } from '../integrations/sql/encrypted-postgres.fixture';
import { rowsOf } from './sql-node.fixture';

const reading = resourcesWith({ dial });
const writing = resourcesWith({ dial, isAllowed: (permission) => permission === 'sql-writes' });
const table = `wheels_${randomBytes(4).toString('hex')}`;

interface Server {
  readonly url: string;
  /** Runs a statement as another client of the same database. */
  run(statement: string): Promise<unknown>;
}

/** The test databases, each with its URL in the form of SQLAlchemy. */
const servers: Readonly<Record<string, Server>> = {
  PostgreSQL: {
    url: withDialect('postgresql+psycopg2', process.env['DATABASE_URL'] ?? ''),
    run: async (statement) => {
      const client = new Client({ connectionString: process.env['DATABASE_URL'] });
      await client.connect();
      await client.query(statement);
      await client.end();
    },
  },
  MariaDB: {
    url: withDialect('mysql+pymysql', process.env['MARIADB_URL'] ?? ''),
    run: async (statement) => {
      const connection = createConnection(process.env['MARIADB_URL'] ?? '');
      await connection.promise().query(statement);
      await connection.promise().end();
    },
  },
};

function withDialect(dialect: string, url: string): string {
  return url.replace(/^\w+:/, `${dialect}:`);
}

describe.each(Object.entries(servers))('%s', (_name, { url, run }) => {
  beforeAll(() => run(`CREATE TABLE ${table} (id INTEGER, name VARCHAR(20))`));
  afterAll(() => run(`DROP TABLE ${table}`));

  test('returns the selected rows', async () => {
    await run(`DELETE FROM ${table}`);
    await run(`INSERT INTO ${table} VALUES (1, 'overshot'), (2, 'breast')`);
    const query = `SELECT id, name FROM ${table} WHERE name LIKE '%shot' ORDER BY id;`;
    expect(await rowsOf(url, query, { resources: reading })).toEqual([{ id: 1, name: 'overshot' }]);
  });

  test('writes only if the operator allows it', async () => {
    await run(`DELETE FROM ${table}`);
    const insert = `INSERT INTO ${table} VALUES (3, 'undershot')`;
    const failure = await failureOf(rowsOf(url, insert, { resources: reading }));
    expect(failure).toMatch(/An error occurred while running the SQL Query: .*(?:read-only|READ ONLY)/);
    const count = `SELECT COUNT(*) AS n FROM ${table}`;
    expect(await rowsOf(url, count, { resources: reading })).toEqual([{ n: 0 }]);
    expect(await rowsOf(url, insert, { resources: writing })).toEqual([]);
    expect(await rowsOf(url, count, { resources: reading })).toEqual([{ n: 1 }]);
  });

  test('accepts one statement at a time', async () => {
    const both = `COMMIT; INSERT INTO ${table} VALUES (4, 'stray')`;
    expect(await failureOf(rowsOf(url, both, { resources: reading }))).toMatch(
      /multiple commands|error in your SQL syntax/,
    );
    expect(await rowsOf(url, `SELECT * FROM ${table} WHERE id = 4`, { resources: reading })).toEqual([]);
  });

  test('reports the error of the database for an invalid statement', async () => {
    const failure = await failureOf(rowsOf(url, 'SELECT * FROM no_such_table', { resources: reading }));
    expect(failure).toMatch(
      /An error occurred while running the SQL Query: .*no_such_table.* (?:does not|doesn't) exist/,
    );
  });

  test('limits the rows and bytes of a result', async () => {
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)';
    expect(
      await failureOf(rowsOf(url, `${numbers} SELECT a.i FROM n a, n b`, { resources: reading })),
    ).toContain('The SQL Query returned more than 10000 rows.');
    const wide = `${numbers} SELECT REPEAT('x', 100000) FROM n`;
    expect(await failureOf(rowsOf(url, wide, { resources: reading }))).toContain(
      'The SQL Query returned more than 10485760 bytes.',
    );
  });

  test('shows no password when the database rejects it', async () => {
    const address = new URL(url.replace(/^[\w+]+:/, 'http:'));
    const unknownUserUrl = `${url.slice(0, url.indexOf(':'))}://stranger:geheim-7@${address.host}/nowhere`;
    const failure = await failureOf(rowsOf(unknownUserUrl, 'SELECT 1', { resources: reading }));
    expect(failure).toContain('An error occurred while connecting to the database: ');
    expect(failure).toContain('stranger');
    expect(failure).not.toContain('geheim-7');
  });

  test('a silent server does not hold a run beyond its deadline', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const target = `${url.slice(0, url.indexOf(':'))}://miller@127.0.0.1:${port}/mill`;
    const query = rowsOf(target, 'SELECT 1', { resources: reading, timeoutMilliseconds: 300 });
    expect(await failureOf(query)).toContain('The run did not end before its deadline.');
    silent.close();
  });
});

test('PostgreSQL: cells have the types that Python has', async () => {
  const query = `SELECT 1::int2 AS small, 9007199254740991::int8 AS large, 1.50::numeric AS exact, 2::float8 AS float,
    true AS yes, NULL::text AS missing, '{"a": [1]}'::jsonb AS object, '{1,2,NULL}'::int4[] AS list,
    '2024-02-03 04:05:06'::timestamp AS moment, '2024-02-03'::date AS day, '\\x00ff'::bytea AS bytes`;
  expect(await rowsOf(servers['PostgreSQL']!.url, query, { resources: reading })).toEqual([
    {
      small: 1,
      large: 9007199254740991,
      exact: 1.5,
      float: 2,
      yes: true,
      missing: null,
      object: { a: [1] },
      list: [1, 2, null],
      moment: '2024-02-03 04:05:06',
      day: '2024-02-03',
      bytes: '0x00ff',
    },
  ]);
});

test('PostgreSQL: a statement cannot disable read-only mode', async () => {
  const { url } = servers['PostgreSQL']!;
  const attempts = [
    `DO $$ BEGIN SET TRANSACTION READ WRITE; CREATE TABLE ${table}_x (id INTEGER); END $$`,
    `DO $$ BEGIN COMMIT; CREATE TABLE ${table}_x (id INTEGER); END $$`,
    `SELECT set_config('transaction_read_only', 'off', false)`,
  ];
  for (const statement of attempts) {
    expect(await failureOf(rowsOf(url, statement, { resources: reading }))).toContain(
      'running the SQL Query: ',
    );
  }
});

test('PostgreSQL: uses TLS if the server supports it, and checks the certificate if the URL says so', async () => {
  const plain = new URL(process.env['DATABASE_URL'] ?? '');
  const encrypted = await startEncryptedPostgres(plain);
  const url = `postgresql://${plain.username}:${plain.password}@127.0.0.1:${encrypted.port}${plain.pathname}`;
  for (const mode of ['prefer', 'require']) {
    const rows = await rowsOf(`${url}?sslmode=${mode}`, 'SELECT 1 AS one', { resources: reading });
    expect(rows).toEqual([{ one: 1 }]);
  }
  for (const mode of ['verify-ca', 'verify-full']) {
    const failure = await failureOf(rowsOf(`${url}?sslmode=${mode}`, 'SELECT 1', { resources: reading }));
    expect(failure).toContain('An error occurred while connecting to the database: self-signed certificate');
  }
  const large = "SELECT REPEAT('x', 1000000) FROM generate_series(1, 20)";
  expect(await failureOf(rowsOf(url, large, { resources: reading }))).toContain('more than 10485760 bytes');
  await encrypted.close();
});

test('MariaDB: cells have the types that Python has', async () => {
  const query = `SELECT 1 AS small, 9007199254740991 AS large, 1.50 AS exact, 2e0 AS inexact, NULL AS missing, 'x' AS letter,
    CAST('2024-02-03 04:05:06' AS DATETIME) AS moment, CAST('2024-02-03' AS DATE) AS day, X'00ff' AS bytes`;
  expect(await rowsOf(servers['MariaDB']!.url, query, { resources: reading })).toEqual([
    {
      small: 1,
      large: 9007199254740991,
      exact: 1.5,
      inexact: 2,
      missing: null,
      letter: 'x',
      moment: '2024-02-03 04:05:06',
      day: '2024-02-03',
      bytes: '0x00ff',
    },
  ]);
});

test.each(Object.entries(servers))('%s: describes tables', async (_name, { url, run }) => {
  await run(`CREATE TABLE ${table}_d (id INTEGER, name VARCHAR(20))`);
  const document = flow([node('Describe-a', 'DescribeTables', { url })]);
  const { text: description } = await runFlow(document, {
    resources: reading,
    extraComponents: [describeTablesUnderTest],
    show: 'Describe-a',
  });
  await run(`DROP TABLE ${table}_d`);
  expect(description).toMatch(
    new RegExp(`^CREATE TABLE ${table}_d \\(id int(?:eger)?, name (?:character varying|varchar)\\)$`),
  );
});

/** Calls in a run the function with which agents describe tables. */
const describeTablesUnderTest = defineComponent({
  type: 'DescribeTables',
  displayName: 'Describe Tables',
  description: 'Describes a table.',
  inputs: { url: text({ displayName: 'URL' }) },
  outputs: { text: { types: ['Message'] } },
  deterministic: false,
  run: async ({ url }, context) => {
    const described = (await describeTables(url, context)).get(`${table}_d`) ?? '';
    return { text: new Message({ text: described }) };
  },
});
