import { startNotion } from '../integrations/notion/notion-server.fixture';
import { dataOf } from './notion.fixture';

test('creates a page, or gives a text that says why not', async () => {
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
  const problems = [
    [await make('nonsense'), 'Invalid properties format. Please provide a valid JSON object.'],
    [await make('{"Colour":{}}'), 'Colour is not a property that exists.'],
    [await make('{}', 'd-2'), 'Notion answered with status 404'],
  ];
  for (const [made, problem] of problems)
    expect(made).toMatchObject([{ data: { text: expect.stringContaining(String(problem)) as unknown } }]);
  await server.close();
});
