import { failureOf } from '../testing/flow-under-test.fixture';
import { startNotion } from '../integrations/notion/notion-server.fixture';
import { dataOf } from './notion.fixture';

test('creates a page, or reports why not', async () => {
  const server = await startNotion();
  const make = (properties_json: string, database_id = 'd-1') =>
    dataOf(server, 'NotionPageCreator', { database_id, properties_json });
  expect(await make('{"Name":{"title":[]}}')).toMatchObject([
    { data: { id: 'p-new', text: 'Created page with ID: p-new' } },
  ]);
  expect(server.asked[0]?.json).toEqual({
    parent: { database_id: 'd-1' },
    properties: { Name: { title: [] } },
  });
  expect(await failureOf(make('nonsense'))).toContain(
    'Invalid properties format. Please provide a valid JSON object.',
  );
  expect(await failureOf(make('{"Colour":{}}'))).toContain('Colour is not a property that exists.');
  expect(await failureOf(make('{}', 'd-2'))).toContain('Notion answered with status 404');
  await server.close();
});
