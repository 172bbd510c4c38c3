import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { callToolOf } from '../testing/tool-caller.fixture';
import { toolNode } from '../testing/tool-node.fixture';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { dial, resourcesWith } from '../testing/run-resources.fixture';
import { filesUnderTest } from '../testing/run-files.fixture';
import { outputOf, rowsOf } from './sql-node.fixture';
import { uploadedWheels } from './wheels.fixture';

const memory = 'sqlite://';

test('returns rows with cells of the types that Python has', async () => {
  const query = `SELECT 1 AS whole, 2.0 AS float, 2.5 AS half, 'x' AS text, NULL AS missing, x'00ff' AS bytes, x'41' AS letters`;
  expect(await rowsOf(memory, query)).toEqual([
    { whole: 1, float: 2, half: 2.5, text: 'x', missing: null, bytes: '0x00ff', letters: 'A' },
  ]);
});

test('reads an uploaded file by its path, or by the file name in a path of another machine', async () => {
  const resources = await uploadedWheels();
  for (const url of ['sqlite:///user-1/wheels.db', 'sqlite:////home/miller/data/wheels.db']) {
    expect(await rowsOf(url, 'SELECT name FROM wheels WHERE id > 1 ORDER BY id', { resources })).toEqual([
      { name: 'breast' },
      { name: 'undershot' },
    ]);
  }
});

test('an uploaded file is read-only, even where writes are allowed', async () => {
  const { files } = await uploadedWheels();
  const resources = resourcesWith({ files, isAllowed: () => true });
  const run = rowsOf('sqlite:///wheels.db', 'DELETE FROM wheels', { resources });
  expect(await failureOf(run)).toContain(
    'An error occurred while running the SQL Query: attempt to write a readonly database',
  );
});

test('files of the host are inaccessible', async () => {
  const { resources } = filesUnderTest();
  expect(await failureOf(rowsOf('sqlite:////etc/passwd', 'SELECT 1', { resources }))).toContain(
    'An error occurred while connecting to the database: file "passwd" not found.',
  );
  expect(await failureOf(rowsOf(memory, `ATTACH DATABASE '/etc/passwd' AS other`))).toContain(
    'unable to open database: /etc/passwd',
  );
  expect(await failureOf(rowsOf(memory, `SELECT load_extension('/usr/lib/any.so')`))).toContain(
    'no such function: load_extension',
  );
});

test.each([
  ['SELECT * FROM nowhere', 'no such table: nowhere'],
  ['SELEC 1', 'near "SELEC": syntax error'],
  ['SELECT 1; SELECT 2', 'You can only execute one statement at a time.'],
])('%s fails with the error of the database', async (query, reason) => {
  expect(await failureOf(rowsOf(memory, query))).toContain(
    `An error occurred while running the SQL Query: ${reason}`,
  );
});

const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';

test.each([
  ['rows', `${endless} SELECT i FROM n`, 'The SQL Query returned more than 10000 rows. Add a LIMIT.'],
  [
    'bytes',
    `${endless} SELECT hex(zeroblob(1000000)) FROM n`,
    'The SQL Query returned more than 10485760 bytes.',
  ],
  ['memory', 'SELECT hex(zeroblob(400000000))', 'out of memory'],
  ['the file', `CREATE TABLE t AS ${endless} SELECT zeroblob(100000) FROM n`, 'database or disk is full'],
])('limits %s of a query', async (_what, query, reason) => {
  expect(await failureOf(rowsOf(memory, query))).toContain(reason);
});

test('an endless query stops with its run', async () => {
  const run = rowsOf(memory, `${endless} SELECT max(i) FROM n`, { timeoutMilliseconds: 1_000 });
  expect(await failureOf(run)).toContain('The run did not end before its deadline.');
});

test('errors about a URL contain neither the URL nor its password', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const resources = resourcesWith({ dial });
  const urls: Record<string, string> = {
    'geheim-7': 'Could not parse SQLAlchemy URL from given URL string',
    'mssql+pyodbc://miller:geheim-7@db/mill': 'databases of type "mssql+pyodbc" are not supported',
    'mysql://miller:geheim-7@db:many/mill': 'the port is invalid',
    [`postgresql://miller:geheim-7@127.0.0.1:${port}/mill`]: `connect ECONNREFUSED 127.0.0.1:${port}`,
    [`mysql+pymysql://miller:geheim-7@127.0.0.1:${port}/mill`]: `connect ECONNREFUSED 127.0.0.1:${port}`,
  };
  for (const [url, reason] of Object.entries(urls)) {
    const failure = await failureOf(rowsOf(url, 'SELECT 1', { resources }));
    expect(failure).toContain(`An error occurred while connecting to the database: ${reason}`);
    expect(failure).not.toContain('geheim-7');
  }
});

test('reports that a run has no connections', async () => {
  expect(await failureOf(rowsOf('postgresql://db/mill', 'SELECT 1'))).toContain(
    'This run has no connections.',
  );
});

/** Returns the text output, which earlier versions use. */
async function textOutput(values: Readonly<Record<string, unknown>>): Promise<unknown> {
  const document = flow(
    [node('SQL-a', 'SQLComponent', { database_url: memory, ...values }), node('ChatOutput-b', 'ChatOutput')],
    [edge('SQL-a', 'text', 'ChatOutput-b', 'input_value')],
  );
  const { result } = await runFlow(document, { show: 'ChatOutput-b' });
  return outputOf(result, 'message') as { readonly message?: string } | string;
}

test('the text output contains rows as Python prints them, and errors if enabled', async () => {
  const query = `SELECT 1 AS id, 'it''s' AS name`;
  expect(await textOutput({ query, include_columns: true })).toBe(`[{'id': 1, 'name': "it's"}]`);
  expect(await textOutput({ query, include_columns: false })).toBe(`[(1, "it's")]`);
  expect(await textOutput({ query: 'SELECT 1 AS id WHERE 0' })).toBe('');
  expect(await textOutput({ query: 'SELEC' })).toBe('SELEC');
  const errorText = 'near "SELEC": syntax error\n\nError: near "SELEC": syntax error\n\nQuery: SELEC';
  expect(await textOutput({ query: 'SELEC', add_error: true })).toBe(errorText);
});

test('is a tool with a query argument', async () => {
  const { tools, result } = await callToolOf(
    toolNode('SQL-a', 'SQLComponent', [], { database_url: memory, query: '' }),
    { query: 'SELECT 6 * 7 AS answer' },
  );
  expect(tools.map(({ name }) => name)).toEqual(['run_sql_query']);
  expect(tools[0]?.parameters).toMatchObject({ required: ['query'] });
  expect(Object.keys(tools[0]?.parameters['properties'] ?? {})).toEqual([
    'query',
    'include_columns',
    'add_error',
  ]);
  expect(result).toBe('   answer\n0      42');
});
