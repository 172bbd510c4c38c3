import { startNotion } from '../integrations/notion/notion-server.fixture';
import { dataOf } from './notion.fixture';

test('lists users', async () => {
  const server = await startNotion();
  expect(await dataOf(server, 'NotionUserList', {})).toMatchObject([
    { data: { id: 'u-1', name: 'Ada', type: 'person' } },
  ]);
  await server.close();
});
