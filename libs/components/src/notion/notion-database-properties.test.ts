import { startNotion } from '../integrations/notion/notion-server.fixture';
import { dataOf } from './notion.fixture';

test('returns the properties of an existing database', async () => {
  const server = await startNotion();
  const read = (database_id: string) => dataOf(server, 'NotionDatabaseProperties', { database_id });
  expect(await read('d-1')).toMatchObject([{ data: { Name: { type: 'title' } } }]);
  expect(await read('d-2')).toMatchObject([
    { data: { text: expect.stringContaining('Could not find /v1/databases/d-2.') as unknown } },
  ]);
  const given = await dataOf(server, 'NotionDatabaseProperties', { database_id: 'd-1' }, 'api_run_model');
  expect(given).toMatchObject({ Name: { type: 'title' } });
  await server.close();
});
