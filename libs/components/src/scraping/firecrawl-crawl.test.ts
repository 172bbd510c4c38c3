import { failureOf } from '../testing/flow-under-test.fixture';
import { sharedEffects } from '../testing/shared-effects.fixture';
import { outputOf } from '../testing/node-output.fixture';
import {
  createFirecrawlHandler,
  scraperKey,
  startScraper,
} from '../integrations/scrapers/scrapers-server.fixture';

test('waits for a crawl and returns all its pages', async () => {
  const server = await startScraper(createFirecrawlHandler);
  const values = { api_key: scraperKey, url: 'https://a.test' };
  expect(await outputOf('FirecrawlCrawlApi', values, { 'api.firecrawl.dev': server }, 'data')).toMatchObject({
    results: {
      total: 2,
      data: [{ markdown: '# Page\nabout https://a.test' }, { markdown: '# Page\nabout https://a.test/two' }],
    },
  });
  expect(server.asked[0]?.json).toMatchObject({ maxDepth: 2, scrapeOptions: { onlyMainContent: true } });
  expect(server.asked[0]?.headers['x-idempotency-key']).toBeUndefined();
  await server.close();
});

test('sends the idempotency key that the author entered', async () => {
  const server = await startScraper(createFirecrawlHandler);
  const crawl = (idempotency_key: string) =>
    outputOf(
      'FirecrawlCrawlApi',
      { api_key: scraperKey, url: 'https://a.test', idempotency_key },
      { 'api.firecrawl.dev': server },
      'data',
    );
  await crawl('7e0f1c5a-3b9d-4f6e-8a21-5d3c9b7e1f04');
  expect(server.asked[0]?.headers['x-idempotency-key']).toBe('7e0f1c5a-3b9d-4f6e-8a21-5d3c9b7e1f04');
  expect(await failureOf(crawl('anything'))).toContain('Idempotency key already used');
  await server.close();
});

test('a later attempt waits for the crawl that an earlier one started', async () => {
  const server = await startScraper(createFirecrawlHandler);
  const effects = sharedEffects();
  const values = { api_key: scraperKey, url: 'https://a.test' };
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await outputOf('FirecrawlCrawlApi', values, { 'api.firecrawl.dev': server }, 'data', { effects });
  }
  expect(server.asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  await server.close();
});
