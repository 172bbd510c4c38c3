import { failureOf } from '../testing/flow-under-test.fixture';
import { outputOf } from '../testing/node-output.fixture';
import {
  createFirecrawlHandler,
  scraperKey,
  startScraper,
} from '../integrations/scrapers/scrapers-server.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const server = serviceForEachTest(() => startScraper(createFirecrawlHandler));

const scrape = (values: Readonly<Record<string, unknown>>) =>
  outputOf('FirecrawlScrapeApi', { api_key: scraperKey, ...values }, { 'api.firecrawl.dev': server }, 'data');

test('returns the content of a page', async () => {
  expect(await scrape({ url: 'https://a.test/' })).toMatchObject({
    markdown: '# Page\nabout https://a.test/',
  });
  expect(await scrape({ url: 'https://b.test/', timeout: 10_000 })).toMatchObject({
    metadata: { sourceURL: 'https://b.test/' },
  });
  expect(server.asked[1]?.json).toEqual({
    url: 'https://b.test/',
    formats: ['markdown'],
    onlyMainContent: true,
    timeout: 10_000,
  });
});

test('reports a wrong key and a wrong address', async () => {
  const wrong = await failureOf(scrape({ url: 'https://a.test/', api_key: 'scraper-wrong' }));
  expect(wrong).toContain('Firecrawl answered with status 401 Unauthorized: Unauthorized: Invalid token');
  expect(await failureOf(scrape({ url: 'nonsense' }))).toContain('Firecrawl answered with status 400');
});
