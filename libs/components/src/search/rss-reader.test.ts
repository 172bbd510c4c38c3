import { fakeHandler, startFakeService } from '../integrations/http/fake-service.fixture';
import { outputOf } from '../testing/node-output.fixture';

const feeds: Readonly<Record<string, string>> = {
  '/rss': `<rss><channel><title>All</title><item><title>One</title><link>https://a.test/1</link><pubDate>today</pubDate><description><![CDATA[<b>first</b>]]></description></item><item><title>Two</title></item></channel></rss>`,
  '/atom': `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Three</title><link href="https://a.test/3"/><updated>now</updated><summary>third</summary></entry></feed>`,
  '/empty': ' ',
  '/none': '<rss><channel/></rss>',
};

test.each([
  [
    '/rss',
    [
      { title: 'One', link: 'https://a.test/1', published: 'today', summary: '<b>first</b>' },
      { title: 'Two', link: '', published: '', summary: '' },
    ],
  ],
  ['/atom', [{ title: 'Three', link: 'https://a.test/3', published: 'now', summary: 'third' }]],
  ['/none', []],
  ['/empty', [{ title: 'Error', link: '', published: '', summary: 'Empty response received' }]],
])('reads %s', async (path, rows) => {
  const server = await startFakeService(fakeHandler((request) => ({ text: feeds[request.path] ?? '' })));
  const values = { rss_url: `https://feed.test${path}` };
  expect(await outputOf('RSSReaderSimple', values, { 'feed.test': server }, 'articles')).toEqual(rows);
  await server.close();
});

test('an address with white space before it is read', async () => {
  const server = await startFakeService(fakeHandler((request) => ({ text: feeds[request.path] ?? '' })));
  const values = { rss_url: ' \nhttps://feed.test/none' };
  expect(await outputOf('RSSReaderSimple', values, { 'feed.test': server }, 'articles')).toEqual([]);
  await server.close();
});

test.each([
  ['feed.test/rss', ''],
  ['FTP://feed.test/rss', 'ftp'],
])('the address %s has the scheme %j, which is refused', async (rss_url, scheme) => {
  expect(await outputOf('RSSReaderSimple', { rss_url }, {}, 'articles')).toEqual([
    {
      title: 'Error',
      link: '',
      published: '',
      summary: `Invalid URL scheme '${scheme}'. Only http and https are allowed.`,
    },
  ]);
});
