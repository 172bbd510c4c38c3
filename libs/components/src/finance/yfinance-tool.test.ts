import { node } from '../testing/flow-under-test.fixture';
import { fetchFrom } from '../integrations/http/fake-service.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { startYahoo, yahooHosts } from '../integrations/yahoo/yahoo-server.fixture';

test('returns news, as data and as a tool', async () => {
  const server = await startYahoo();
  const ask = (input_value: string) =>
    outputOf('YFinanceTool', { input_value }, yahooHosts(server), 'api_run_model');
  expect(await ask('BRED')).toMatchObject([{ data: { title: 'BRED bakes', publisher: 'Paper' } }]);
  expect(await ask('NONE')).toMatchObject([
    { data: { text: expect.stringContaining('No news found') as unknown } },
  ]);
  const options = { output: 'tool', fetch: fetchFrom(yahooHosts(server)) };
  const { tools, result } = await callToolOf(node('Y-a', 'YFinanceTool'), { input_value: 'BRED' }, options);
  expect(tools.map(({ name }) => name)).toEqual(['yahoo_finance_news']);
  expect(result).toContain('https://news.test/3');
  await server.close();
});
