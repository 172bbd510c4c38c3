import { failureOf, node } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { startDuckDuckGo } from '../integrations/duckduckgo/duckduckgo-server.fixture';
import { outputOf } from '../testing/node-output.fixture';

const server = serviceForEachTest(startDuckDuckGo);

const search = (values: Readonly<Record<string, unknown>>) =>
  outputOf('DuckDuckGoSearchComponent', values, { 'html.duckduckgo.com': server });

test('returns a row for each result, with a truncated text', async () => {
  expect(await search({ input_value: 'mill', max_results: 2, max_snippet_length: 7 })).toEqual([
    { content: 'A mill stone & its use', snippet: 'A mill ', text: 'A mill ' },
    { content: 'Water for a mill', snippet: 'Water f', text: 'Water f' },
  ]);
  expect(await search({ input_value: 'bread' })).toMatchObject([{ content: 'Made of grain' }]);
  expect(await search({ input_value: 'nothing like it' })).toEqual([]);
});

test('provides the tool of earlier versions', async () => {
  const { tools, result } = await callToolOf(
    node('Duck-a', 'DuckDuckGoSearch', {}),
    { input_value: 'bread' },
    { output: 'api_build_tool', fetch: fetchFrom({ 'html.duckduckgo.com': server }) },
  );
  expect(tools.map(({ name }) => name)).toEqual(['duckduckgo_search']);
  expect(result).toContain('Made of grain');
});

test('reports a rejected request', async () => {
  expect(await failureOf(search({ input_value: '' }))).toContain('DuckDuckGo answered with status 403');
});
