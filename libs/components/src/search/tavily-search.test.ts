import { toolNode } from '../testing/tool-node.fixture';
import { node } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { startTavilyServer, tavilyKey } from '../integrations/tavily/tavily-server.fixture';

const server = serviceForEachTest(startTavilyServer);

type Values = Readonly<Record<string, unknown>>;
const hosts = () => ({ 'api.tavily.com': server });
const search = (values: Values, output?: string) =>
  outputOf('TavilySearchComponent', { api_key: tavilyKey, ...values }, hosts(), output);
const plain = { include_answer: false, include_images: false };

test('returns an answer, the results and the images', async () => {
  expect(await search({ query: 'a river with a mill', max_results: 1 })).toEqual(
    [
      { text: '1 pages on a river with a mill' },
      {
        title: 'Mills',
        url: 'https://mills.test/',
        content: 'A mill stands on a river and grinds grain.',
        score: 2 / 3,
        text: 'A mill stands on a river and grinds grain.',
      },
      { images: ['https://mills.test/image.png'], text: 'Images found' },
    ].map((row) => expect.objectContaining(row) as unknown),
  );
});

test('another query finds other pages', async () => {
  const titles = async (values: Values) =>
    ((await search({ ...plain, ...values })) as readonly { readonly title: string }[]).map(
      ({ title }) => title,
    );
  expect(await titles({ query: 'grain' })).toEqual(['Mills', 'Bread']);
  expect(await titles({ query: 'danube' })).toEqual(['Rivers of Europe']);
  expect(await titles({ query: 'grain', exclude_domains: 'mills.test, x.test' })).toEqual(['Bread']);
  expect(await titles({ query: 'grain', include_domains: 'mills.test' })).toEqual(['Mills']);
});

test('sends only the settings that apply to the kind of search', async () => {
  await search({ query: 'grain', topic: 'news', search_depth: 'basic', time_range: 'week' });
  await search({ query: 'grain' });
  expect(server.asked.map(({ json }) => json)).toMatchObject([
    { days: 7, time_range: 'week' },
    { chunks_per_source: 3 },
  ]);
  expect(server.asked[0]?.json).not.toHaveProperty('chunks_per_source');
  expect(server.asked[1]?.json).not.toHaveProperty('days');
});

test('returns raw content and the outputs of earlier versions', async () => {
  expect(await search({ ...plain, query: 'bread', include_raw_content: true })).toMatchObject([
    { raw_content: '# Bread\nBread is made of grain.' },
  ]);
  expect(await search({ ...plain, query: 'grain' }, 'text')).toBe(
    'A mill stands on a river and grinds grain.\nBread is made of grain.',
  );
  expect(await search({ ...plain, query: 'bread' }, 'api_run_model')).toMatchObject([
    { data: { title: 'Bread' } },
  ]);
});

test('is a tool, under the names of all versions', async () => {
  const options = { fetch: fetchFrom(hosts()) };
  const values = { api_key: tavilyKey, ...plain };
  const current = toolNode('Tavily-a', 'TavilySearchComponent', [], values);
  const { tools, result } = await callToolOf(current, { query: 'bread' }, options);
  expect(tools.map(({ name }) => name)).toEqual(['fetch_content_dataframe']);
  expect(result).toContain('Bread is made of grain.');
  const rows = ['fetch_content', 'fetch_content_text'].map((name) => ({
    name: `TavilySearchComponent-${name}`,
    tags: [`TavilySearchComponent-${name}`],
  }));
  const former = toolNode('Tavily-a', 'TavilySearchComponent', rows, values);
  const called = await callToolOf(former, { query: 'bread' }, { ...options, tool: rows[1]?.name ?? '' });
  expect(called.tools.map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
  expect(called.result).toBe('Bread is made of grain.');
  const first = node('Tavily-a', 'TavilyAISearch', values);
  const oldest = await callToolOf(first, { query: 'bread' }, { ...options, output: 'api_build_tool' });
  expect(oldest.tools.map(({ name }) => name)).toEqual(['tavily_search']);
  expect(oldest.result).toContain('Bread is made of grain.');
});

test('gives the errors of a wrong key and an invalid query as rows, without the key', async () => {
  const errorOf = async (values: Values) => {
    const [row] = (await search(values)) as readonly { readonly error: string; readonly text: string }[];
    expect(row?.text).toBe(row?.error);
    return row?.error;
  };
  const wrong = await errorOf({ api_key: 'tvly-wrong', query: 'x' });
  expect(wrong).toContain(
    'Tavily answered with status 401 Unauthorized: Unauthorized: missing or invalid API key.',
  );
  expect(wrong).not.toContain('tvly-wrong');
  expect(await errorOf({ query: '' })).toContain('Tavily answered with status 400');
  expect(await errorOf({ api_key: '', query: 'x' })).toContain('Tavily API Key is required');
});
