import { outputOf } from '../search/search.fixture';
import { createFirecrawlHandler, scraperKey, startScraper } from './scrapers-server.fixture';

test('waits for a crawl and gives all its pages', async () => {
  const server = await startScraper(createFirecrawlHandler);
  const values = { api_key: scraperKey, url: 'https://a.test' };
  expect(await outputOf('FirecrawlCrawlApi', values, { 'api.firecrawl.dev': server }, 'data')).toMatchObject({
    results: {
      total: 2,
      data: [{ markdown: '# Page\nabout https://a.test' }, { markdown: '# Page\nabout https://a.test/two' }],
    },
  });
  expect(server.asked[0]?.json).toMatchObject({ maxDepth: 2, scrapeOptions: { onlyMainContent: true } });
  expect(server.asked[0]?.headers['x-idempotency-key']).toMatch(/:FirecrawlCrawlApi-a$/);
  await server.close();
});
