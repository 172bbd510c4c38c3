import { toolNode } from '../agents/tool-node.fixture';
import { fetchFrom } from '../http/fake-service.fixture';
import type { FakeService } from '../http/fake-service.fixture';
import { callToolOf } from '../tool-caller.fixture';
import { startSite } from '../web/site.fixture';
import { startDuckDuckGo } from './duck-duck-go-server.fixture';
import { startGoogleNews } from './google-news-server.fixture';
import { outputOf } from './search.fixture';

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

test('finds pages and reads them; one that is gone says so', async () => {
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
      title: 'Gone mill',
      link: 'https://gone.test/',
      snippet: 'This mill is gone',
      content: '(Failed to fetch: gone.test (gone.test) could not be reached: ENOTFOUND)',
    },
  ]);
});

test('keeps as many results and characters as it is told', async () => {
  expect(await search({ query: 'mill', max_results: 1, max_content_length: 18 })).toMatchObject([
    { content: 'One... [truncated]' },
  ]);
  expect(await search({ query: 'mill', max_results: 1, max_content_length: 4 })).toMatchObject([
    { content: 'One…' },
  ]);
  expect(await search({ query: 'mill', max_results: 0 })).toHaveLength(3);
});

test('what fails is a row that tells it', async () => {
  expect(await search({ query: ' ' })).toEqual([
    { title: 'Error', link: '', snippet: 'Empty search query', content: '' },
  ]);
  expect(await outputOf('UnifiedWebSearch', { query: 'mill' }, {}, 'results')).toMatchObject([
    { title: 'Error', snippet: 'DuckDuckGo (html.duckduckgo.com) could not be reached: ENOTFOUND' },
  ]);
  expect(await search({ search_mode: 'RSS', query: 'site.test/none' })).toMatchObject([
    { title: 'Error', summary: 'site.test answered with status 404 Not Found.' },
  ]);
});

test.each([
  [{ query: 'mill' }, ['Mill & river reopened', 'Second mill burns']],
  [{ query: 'mill', max_results: 1 }, ['Mill & river reopened']],
  [{ query: 'mill', topic: 'business' }, ['Bread is dearer']],
  [{ query: 'x', location: 'Berlin', hl: 'de', gl: 'DE' }, ['Second mill burns']],
  [{ query: 'nothing' }, ['No articles found']],
  [{ query: '' }, ['Error']],
])('news for %j', async (values, titles) => {
  const rows = (await search({ search_mode: 'News', ...values })) as readonly { readonly title: string }[];
  expect(rows.map(({ title }) => title)).toEqual(titles);
});

test('news are told in plain words', async () => {
  expect(await search({ search_mode: 'News', query: 'bread' })).toEqual([
    {
      title: 'Bread is dearer',
      link: 'https://news.test/0',
      published: 'Sat, 28 Feb 2026 10:00:00 GMT',
      summary: 'Bread is dearer Paper',
    },
  ]);
});

test('reads a feed as it stands', async () => {
  const query = 'https://news.google.com/rss/search?q=bread&hl=en-US&gl=US&ceid=US:en';
  expect(await search({ search_mode: 'RSS', query })).toMatchObject([
    { title: 'Bread is dearer', summary: expect.stringContaining('<font>Paper</font>') as unknown },
  ]);
});

test('a model chooses the mode', async () => {
  const node = toolNode('Search-a', 'UnifiedWebSearch');
  const { tools, said } = await callToolOf(
    node,
    { search_mode: 'News', query: 'bread' },
    { fetch: fetchFrom(hosts()) },
  );
  expect(tools.map(({ name }) => name)).toEqual(['perform_search']);
  expect(said).toContain('Bread is dearer');
});
