import { startNotion } from '../integrations/notion/notion-server.fixture';
import { dataOf } from './notion.fixture';

test('updates an existing page', async () => {
  const server = await startNotion();
  const change = (page_id: string, properties: string) =>
    dataOf(server, 'NotionPageUpdate', { page_id, properties });
  expect(await change('p-1', '{"Name":{}}')).toMatchObject([{ data: { text: 'Updated page with ID: p-1' } }]);
  expect(JSON.stringify(await change('p-9', '{}'))).toContain('Could not find /v1/pages/p-9.');
  expect(JSON.stringify(await change('p-1', '[]'))).toContain('Invalid properties format.');
  await server.close();
});
