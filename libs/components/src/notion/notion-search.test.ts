import { failureOf, node } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { notionSecret, startNotion } from '../integrations/notion/notion-server.fixture';
import { dataOf } from './notion.fixture';

const server = serviceForEachTest(startNotion);

const search = (values: Readonly<Record<string, unknown>>) => dataOf(server, 'NotionSearch', values);

test('finds pages and databases', async () => {
  expect(await search({ query: 'Mill' })).toMatchObject([
    { data: { id: 'p-1', title: 'Mills', type: 'page' } },
  ]);
  expect(await search({ query: '' })).toHaveLength(2);
  expect(await search({ query: '', filter_value: 'database' })).toMatchObject([{ data: { title: 'Works' } }]);
});

test.each(['api_build_tool', 'example_tool_output'])('is a tool by its output %s', async (output) => {
  const offering = node('Notion-a', 'NotionSearch', { notion_secret: notionSecret });
  const options = { output, fetch: fetchFrom({ 'api.notion.com': server }) };
  const { tools, result } = await callToolOf(offering, { query: 'River' }, options);
  expect(tools.map(({ name }) => name)).toEqual(['notion_search']);
  expect(result).toContain('Rivers');
});

test('reports a wrong secret without showing it', async () => {
  const reason = await failureOf(search({ notion_secret: 'secret_wrong' }));
  expect(reason).toContain('Notion answered with status 401 Unauthorized: API token is invalid.');
  expect(await failureOf(search({ notion_secret: '' }))).toContain('Notion Secret is required');
});
