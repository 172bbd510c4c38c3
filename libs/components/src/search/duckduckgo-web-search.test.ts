import { startDuckDuckGo } from '../integrations/duckduckgo/duckduckgo-server.fixture';
import { outputOf } from '../testing/node-output.fixture';

test('finds the pages of a query', async () => {
  const duck = await startDuckDuckGo();
  const search = (query: string) =>
    outputOf('WebSearchNoAPI', { query }, { 'html.duckduckgo.com': duck }, 'results');
  expect(await search('bread')).toMatchObject([
    { title: 'Bread', content: expect.stringContaining('Failed to fetch') as unknown },
  ]);
  expect(await search('mill')).toHaveLength(3);
  await duck.close();
});
