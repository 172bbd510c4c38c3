import { failureOf } from '../testing/flow-under-test.fixture';
import { outputOf } from '../testing/node-output.fixture';
import {
  createScrapeGraphHandler,
  scraperKey,
  startScraper,
} from '../integrations/scrapers/scrapers-server.fixture';

test('returns the answer of ScrapeGraph, or its error text', async () => {
  const server = await startScraper(createScrapeGraphHandler);
  const search = (user_prompt: string, api_key = scraperKey) =>
    outputOf('ScrapeGraphSearchApi', { api_key, user_prompt }, { 'api.scrapegraphai.com': server }, 'data');
  expect(await search('mills of Europe')).toMatchObject({
    status: 'completed',
    result: { about: 'mills of Europe' },
  });
  expect(await failureOf(search('x'))).toContain(
    'status 422 Unprocessable Entity: body.user_prompt: String should have at least 3',
  );
  expect(await failureOf(search('mills', 'wrong'))).toContain(
    'ScrapeGraph answered with status 403 Forbidden: Invalid API key',
  );
  await server.close();
});
