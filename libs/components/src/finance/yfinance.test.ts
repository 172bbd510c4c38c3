import { toolNode } from '../testing/tool-node.fixture';
import { failureOf, node } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { startYahoo, yahooHosts } from '../integrations/yahoo/yahoo-server.fixture';

const server = serviceForEachTest(startYahoo);

const ask = (values: Readonly<Record<string, unknown>>) =>
  outputOf('YfinanceComponent', values, yahooHosts(server));

test('returns news about a symbol', async () => {
  expect(await ask({ symbol: 'BRED' })).toMatchObject([
    { title: 'BRED bakes', text: 'BRED bakes: https://news.test/3' },
  ]);
  expect(await ask({ symbol: 'MILL' })).toHaveLength(2);
  expect(await ask({ symbol: 'MILL', num_news: 1 })).toHaveLength(1);
});

test.each([
  ['get_info', "{'symbol': 'MILL', 'longName': 'Mill Works', 'previousClose': 12.5}"],
  ['get_recommendations', "{'trend': [{'period': '0m', 'buy': 3}]}"],
  ['get_dividends', "{'dividends': [{'amount': 0.5, 'date': 1700000000}]}"],
  ['get_splits', "{'splits': []}"],
  ['get_fast_info', "{'symbol': 'MILL', 'currency': 'EUR'}"],
])('%s', async (method, result) => {
  expect(await ask({ symbol: ' mill ', method })).toEqual([{ result, text: result }]);
});

test.each([
  ['get_info', 'Quote not found for symbol: NONE'],
  ['get_dividends', 'No data found, symbol may be delisted'],
  ['get_rich', "Unexpected error: 'get_rich' is not a valid YahooFinanceMethod"],
])('%s of an unknown symbol fails', async (method, reason) => {
  expect(await failureOf(ask({ symbol: 'NONE', method }))).toContain(reason);
});

test('is a tool under the names of all versions', async () => {
  const options = { fetch: fetchFrom(yahooHosts(server)) };
  const table = [{ name: 'YfinanceComponent-fetch_content', tags: ['YfinanceComponent-fetch_content'] }];
  const former = await callToolOf(toolNode('Y-a', 'YfinanceComponent', table), { symbol: 'BRED' }, options);
  expect(former.tools.map(({ name }) => name)).toEqual(['YfinanceComponent-fetch_content']);
  expect(former.result).toContain('BRED bakes');
  const first = await callToolOf(
    node('Y-a', 'YahooFinanceTool'),
    { symbol: 'BRED' },
    { ...options, output: 'api_build_tool' },
  );
  expect(first.tools.map(({ name }) => name)).toEqual(['yahoo_finance']);
});
