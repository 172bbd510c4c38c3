import { toolNode } from '../testing/tool-node.fixture';
import { fetchFrom } from '../integrations/http/fake-service.fixture';
import type { FakeService } from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { startSite } from '../integrations/web-pages/site.fixture';
import { startDuckDuckGo } from '../integrations/duckduckgo/duckduckgo-server.fixture';
import { startGoogleNews } from '../integrations/google-news/google-news-server.fixture';
import { outputOf } from '../testing/node-output.fixture';

let duck: FakeService;
let news: FakeService;
let site: FakeService;
beforeEach(async () => {
  [duck, news, site] = await Promise.all([startDuckDuckGo(), startGoogleNews(), startSite()]);
});
afterEach(() => Promise.all([duck.close(), news.close(), site.close()]));

type Values = Readonly<Record<string, unknown>>;
const hosts = () => ({ 'html.duckduckgo.com': duck, 'news.google.com': news, 'site.test': site });
const search = (values: Values) => outputOf('UnifiedWebSearch', values, hosts(), 'results');

test('finds pages and reads them; a missing page is reported', async () => {
  expect(await search({ query: '"mill"' })).toEqual([
    {
      title: 'Mill stones',
      link: 'https://site.test/docs/one',
      snippet: 'A mill stone & its use',
      content: 'One First of two. three',
    },
    {
      title: 'Mill ponds',
      link: 'https://site.test/docs/two',
      snippet: 'Water for a mill',
      content: 'Two Second of two. style',
    },
    {
      title: 'Missing mill',
      link: 'https://missing.test/',
      snippet: 'This mill is missing',
      content: '(Failed to fetch: missing.test (missing.test) could not be reached: ENOTFOUND)',
    },
  ]);
});

test('limits results and characters', async () => {
  expect(await search({ query: 'mill', max_results: 1, max_content_length: 18 })).toMatchObject([
    { content: 'One... [truncated]' },
  ]);
  expect(await search({ query: 'mill', max_results: 1, max_content_length: 4 })).toMatchObject([
    { content: 'One…' },
  ]);
  expect(await search({ query: 'mill', max_results: 0 })).toHaveLength(3);
});

test('a query without words fails', async () => {
  await expect(search({ query: ' "" ' })).rejects.toThrow('Empty search query');
});

test('a failure becomes a row with the error', async () => {
  expect(await outputOf('UnifiedWebSearch', { query: 'mill' }, {}, 'results')).toMatchObject([
    { title: 'Error', snippet: 'DuckDuckGo (html.duckduckgo.com) could not be reached: ENOTFOUND' },
  ]);
  expect(await search({ search_mode: 'RSS', query: 'https://site.test/none' })).toMatchObject([
    {
      title: 'Error',
      summary: 'site.test answered with status 404 Not Found: a page that says "Missing No such page."',
    },
  ]);
});

test.each([
  [{ query: 'mill' }, ['Mill & river reopened', 'Second mill burns']],
  [{ query: 'mill', max_results: 1 }, ['Mill & river reopened']],
  [{ query: 'mill', topic: 'business' }, ['Bread costs more']],
  [{ query: 'x', location: 'Berlin', hl: 'de', gl: 'DE' }, ['Second mill burns']],
  [{ query: 'nothing' }, ['No articles found']],
  [{ query: '' }, ['Error']],
])('news for %j', async (values, titles) => {
  const rows = (await search({ search_mode: 'News', ...values })) as readonly { readonly title: string }[];
  expect(rows.map(({ title }) => title)).toEqual(titles);
});

test('news summaries are plain text', async () => {
  expect(await search({ search_mode: 'News', query: 'bread' })).toEqual([
    {
      title: 'Bread costs more',
      link: 'https://news.test/0',
      published: 'Sat, 28 Feb 2026 10:00:00 GMT',
      summary: 'Bread costs more Paper',
    },
  ]);
});

test('returns a feed unchanged', async () => {
  const query = 'https://news.google.com/rss/search?q=bread&hl=en-US&gl=US&ceid=US:en';
  expect(await search({ search_mode: 'RSS', query })).toMatchObject([
    { title: 'Bread costs more', summary: expect.stringContaining('<font>Paper</font>') as unknown },
  ]);
});

test('a model chooses the mode', async () => {
  const node = toolNode('Search-a', 'UnifiedWebSearch');
  const { tools, result } = await callToolOf(
    node,
    { search_mode: 'News', query: 'bread' },
    { fetch: fetchFrom(hosts()) },
  );
  expect(tools.map(({ name }) => name)).toEqual(['perform_search']);
  expect(result).toContain('Bread costs more');
});
