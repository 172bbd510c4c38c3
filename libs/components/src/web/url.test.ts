import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { startSite } from '../integrations/web-pages/site.fixture';

const site = serviceForEachTest(startSite);

type Values = Readonly<Record<string, unknown>>;

async function load(values: Values, output = 'page_results', type = 'URLComponent'): Promise<unknown> {
  const document = flow(
    [node('URL-a', type, values), node('ChatOutput-b', 'ChatOutput')],
    [edge('URL-a', output, 'ChatOutput-b', 'input_value')],
  );
  const { result } = await runFlow(document, {
    show: 'URL-a',
    fetch: fetchFrom({ 'site.test': site, 'elsewhere.test': site }),
  });
  return result?.outputs[output]?.message;
}

const urlsOf = (rows: unknown): readonly string[] =>
  (rows as readonly { readonly url?: string; readonly data?: { readonly url: string } }[]).map((row) =>
    (row.url ?? row.data?.url ?? '').replace('https://site.test', ''),
  );

test('a page becomes a row with its text and its metadata', async () => {
  expect(await load({ urls: ['site.test/'] })).toEqual([
    {
      text: 'HomeWelcomeSee docs.out',
      url: 'https://site.test/',
      title: 'Home',
      description: 'About Home.',
      content_type: 'text/html; charset=utf-8',
      language: 'en',
    },
  ]);
});

test('a page without metadata has empty texts', async () => {
  expect(await load({ urls: ['site.test/bare'] })).toMatchObject([
    { text: 'Bare.', title: '', description: '', language: '' },
  ]);
});

test.each([
  [1, ['/docs/']],
  [2, ['/docs/', '/docs/one', '/docs/two', '/']],
  [3, ['/docs/', '/docs/one', '/docs/two', '/', '/docs/three']],
])('depth %i reads %j', async (max_depth, urls) => {
  expect(urlsOf(await load({ urls: ['https://site.test/docs/'], max_depth }))).toEqual(urls);
  expect(site.asked).toHaveLength(urls.length);
});

test.each([
  [true, ['/', '/docs/']],
  [false, ['/', '/docs/', 'https://elsewhere.test/']],
])('with prevent_outside %j links lead to %j', async (prevent_outside, urls) => {
  expect(urlsOf(await load({ urls: ['https://site.test/'], max_depth: 2, prevent_outside }))).toEqual(urls);
});

test('skips missing pages', async () => {
  const values = { urls: ['https://site.test/docs/two'], max_depth: 2, check_response_status: true };
  expect(urlsOf(await load(values))).toEqual(['/docs/two']);
});

test.each([
  ['HTML', '<!doctype html><html lang="en"><head><title>Three</title>'],
  ['Markdown', 'Third of two.'],
])('returns %s', async (format, beginning) => {
  const rows = (await load({ urls: ['site.test/docs/three'], format })) as readonly {
    readonly text: string;
  }[];
  expect(rows[0]?.text.startsWith(beginning)).toBe(true);
});

test('outputs of earlier versions: a list of data, the text of all pages', async () => {
  const values = { urls: ['site.test/docs/one', 'site.test/latin', 'site.test/docs/one'] };
  expect(await load(values, 'raw_results')).toBe('OneFirst of two.three\n\ngrün');
  expect(await load(values, 'text', 'URL')).toBe('OneFirst of two.three\n\ngrün');
  expect(urlsOf(await load(values, 'data', 'URL'))).toEqual(['/docs/one', '/latin']);
  expect(urlsOf(await load(values, 'dataframe', 'URL'))).toEqual(['/docs/one', '/latin']);
});

test.each([false, true])('the text of all pages has their data until it is stored: %p', async (stores) => {
  const document = flow(
    [
      node('URL-a', 'URLComponent', { urls: ['site.test/docs/one'] }),
      node('ChatOutput-b', 'ChatOutput', { should_store_message: stores }),
    ],
    [edge('URL-a', 'raw_results', 'ChatOutput-b', 'input_value')],
  );
  const { result } = await runFlow(document, { fetch: fetchFrom({ 'site.test': site }) });
  const { message } = result?.results as { readonly message: { readonly data: { readonly data?: unknown } } };
  expect(message.data.data).toEqual(
    stores ? undefined : [expect.objectContaining({ url: 'https://site.test/docs/one' })],
  );
});

test('reads an error page like any page, unless the status is checked', async () => {
  expect(await load({ urls: ['site.test/none'] }, 'raw_results')).toBe('MissingNo such page.');
  const checked = { urls: ['site.test/none'], check_response_status: true };
  expect(await failureOf(load(checked))).toContain(
    'Error loading documents: No documents were successfully loaded from any URL',
  );
  expect(await failureOf(load({ ...checked, continue_on_failure: false }))).toContain(
    'Error loading documents: site.test answered with status 404.',
  );
});

test.each([
  [{ urls: [] }, 'Error loading documents: No valid URLs provided.'],
  [{ urls: ['  '] }, 'Error loading documents: No valid URLs provided.'],
  [{ urls: ['ftp://x'] }, 'Error loading documents: Invalid URL: https://ftp://x'],
  [{ urls: ['not an address'] }, 'Error loading documents: Invalid URL: https://not an address'],
  [
    { urls: ['unreachable.test'] },
    'Error loading documents: No documents were successfully loaded from any URL',
  ],
])('%j fails', async (values, reason) => {
  expect(await failureOf(load(values))).toContain(reason);
});

test('reports an address that is not allowed', async () => {
  const refusal = Object.assign(new Error('10.0.0.1 is not a public address'), { code: 'outgoing_refused' });
  const document = flow([node('URL-a', 'URLComponent', { urls: ['http://10.0.0.1/'] })]);
  const run = runFlow(document, { fetch: () => Promise.reject(refusal) });
  expect(await failureOf(run)).toContain(
    'Error loading documents: SSRF Protection: 10.0.0.1 is not a public address',
  );
});

test('a header without its value is refused, and one whose value is null is left out', async () => {
  const urls = ['site.test/'];
  expect(await failureOf(load({ urls, headers: [{ key: 'a' }] }))).toContain(
    "Error loading documents: 'value'",
  );
  expect(urlsOf(await load({ urls, headers: [{ key: 'a', value: null }] }))).toEqual(['/']);
});
