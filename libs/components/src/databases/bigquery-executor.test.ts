import { generateKeyPairSync } from 'node:crypto';
import { createBigqueryHandler, serviceAccountFile } from '../integrations/bigquery/bigquery-server.fixture';
import { fetchFrom, serviceForEachTest, startFakeService } from '../integrations/http/fake-service.fixture';
import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { filesUnderTest } from '../testing/run-files.fixture';

const service = serviceForEachTest(() => startFakeService(createBigqueryHandler()));

interface Use {
  readonly query?: string;
  readonly clean?: boolean;
  readonly file?: string | null;
  readonly mayWrite?: boolean;
}
const execute = ({
  query = 'SELECT 1',
  clean = false,
  file,
  mayWrite = false,
}: Use): Promise<RunUnderTest> => {
  const { resources } = filesUnderTest(
    file === null ? {} : { 'account.json': file ?? JSON.stringify(serviceAccountFile) },
  );
  const values = { service_account_json_file: 'account.json', query, clean_query: clean };
  return runFlow(flow([node('BigQuery-b', 'BigQueryExecutor', values)]), {
    show: 'BigQuery-b',
    resources: Object.assign(resources, { isAllowed: () => mayWrite }),
    fetch: fetchFrom({ 'oauth2.googleapis.com': service, 'bigquery.googleapis.com': service }),
  });
};
const sentQuery = (): unknown =>
  (service.asked.find(({ path }) => path.endsWith('/queries'))?.json as { readonly query: string }).query;

test('returns all rows with the types of their columns', async () => {
  const { text } = await execute({ query: ' SELECT * FROM mills ' });
  expect(text).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect((text as object[])[0]).toEqual({
    id: 1,
    ratio: 0.5,
    sold: true,
    at: '2026-01-01T00:00:00.000001+00:00',
    tags: ['old', 'wet'],
    mill: { name: 'Watermill' },
  });
  expect(sentQuery()).toBe('SELECT * FROM mills');
});

test('waits for a query that takes longer than one answer', async () => {
  expect((await execute({ query: 'SELECT slow' })).text).toHaveLength(3);
});

test.each([
  ['Here:\n```sql\nSELECT a\nFROM `p.d.t`\n```\nDone', false, 'SELECT a\nFROM p.d.t'],
  ['"SELECT 1"', false, 'SELECT 1'],
  ['I would say\nselect 2;\nand so on', true, 'select 2;'],
  ["SELECT 'x' FROM t", false, "SELECT 'x' FROM t"],
])('of %j (cleaned: %p) it runs %j', async (query, clean, sql) => {
  await execute({ query, clean });
  expect(sentQuery()).toBe(sql);
});

test('a query that writes runs only when the operator allows it', async () => {
  expect(await failureOf(execute({ query: 'DELETE FROM mills WHERE true' }))).toContain(
    'Error executing BigQuery SQL query: a query cannot write (DELETE)',
  );
  expect(service.asked.map(({ path }) => path)).toEqual(['/token', '/bigquery/v2/projects/mill-1/jobs']);
  await execute({ query: 'DELETE FROM mills WHERE true', mayWrite: true });
  expect(sentQuery()).toBe('DELETE FROM mills WHERE true');
});

const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

test.each<[Use, string]>([
  [{ file: null }, 'Service account file not found: account.json'],
  [{ file: '{' }, 'Invalid JSON string for service account credentials'],
  [{ file: '{"type":"x"}' }, 'No project_id found in service account credentials file.'],
  [{ file: '{"project_id":"p"}' }, 'Error loading service account credentials: '],
  [
    { file: JSON.stringify({ ...serviceAccountFile, private_key: 'secret-text' }) },
    'the private key is not a valid RSA key.',
  ],
  [
    { file: JSON.stringify({ ...serviceAccountFile, private_key: otherKey }) },
    'Authentication error: Unable to refresh authentication token. Please try to reauthenticate.',
  ],
  [
    { file: JSON.stringify({ ...serviceAccountFile, project_id: 'other' }) },
    'Error executing BigQuery SQL query: 403 Access Denied: Project other',
  ],
  [{ query: ' ' }, 'No valid SQL query found in input text.'],
  [
    { query: 'SELECT missing' },
    'Error executing BigQuery SQL query: 404 Not found: Table mill-1:data.missing',
  ],
])('%j is an error', async (use, message) => {
  const failure = await failureOf(execute(use));
  expect(failure).toContain(message);
  expect(failure).not.toContain('secret-text');
});
