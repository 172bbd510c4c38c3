import { outputOf } from '../testing/node-output.fixture';
import { startTavilyServer, tavilyKey } from '../integrations/tavily/tavily-server.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const server = serviceForEachTest(startTavilyServer);

const extract = (urls: string, api_key = tavilyKey) =>
  outputOf('TavilyExtractComponent', { api_key, urls }, { 'api.tavily.com': server }, 'data');

test('returns the content of pages, and the pages that failed', async () => {
  const text = 'Bread is made of grain.';
  const failed_results = [{ url: 'https://none.test/', error: 'Failed to fetch url' }];
  expect(await extract('https://bread.test/, https://none.test/')).toMatchObject([
    { data: { url: 'https://bread.test/', raw_content: text, images: [], text } },
    { data: { failed_results, text: 'Failed extractions' } },
  ]);
});

test('gives data with the error without addresses and with a wrong key', async () => {
  const error = 'No valid URLs provided';
  expect(await extract(' , ')).toMatchObject([{ data: { error, text: error } }]);
  expect(JSON.stringify(await extract('https://bread.test/', 'wrong'))).toContain('status 401');
});
