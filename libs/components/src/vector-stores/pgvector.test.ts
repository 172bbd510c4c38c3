import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';

const find = (values: Readonly<Record<string, unknown>>) =>
  failureOf(
    runFlow(flow([node('pgvector-p', 'pgvector', { search_query: 'cat', ...values })]), {
      show: 'pgvector-p',
    }),
  );

test.each([
  [
    { pg_server_url: 'mysql://a:secret@db/x', collection_name: 'pets' },
    'connection string of a PostgreSQL server',
  ],
  [{ pg_server_url: 'postgresql://a:secret@db/x' }, 'PGVector needs the name of a table.'],
  [{ pg_server_url: 'nonsense secret', collection_name: 'pets' }, 'Could not parse SQLAlchemy URL'],
  [
    { pg_server_url: 'postgresql://a:secret@db/x', collection_name: 'pets' },
    'An embedding model is required',
  ],
])('rejects %j', async (values, message) => {
  const failure = await find(values);
  expect(failure).toContain(message);
  expect(failure).not.toContain('secret');
});
