import { fakeHandler, startFakeService } from '../http/fake-service.fixture';
import type { FakeHandler, FakeService } from '../http/fake-service.fixture';

const articles = [
  {
    title: 'Mill &amp; river reopened',
    about: 'mill TECHNOLOGY',
    published: 'Mon, 02 Mar 2026 10:00:00 GMT',
  },
  { title: 'Second mill burns', about: 'mill Berlin', published: 'Sun, 01 Mar 2026 10:00:00 GMT' },
  { title: 'Bread costs more', about: 'bread BUSINESS', published: 'Sat, 28 Feb 2026 10:00:00 GMT' },
];

/** Google's news feeds, by search words, topic and place. */
export function createGoogleNewsHandler(): FakeHandler {
  return fakeHandler(({ path, query }) => {
    const wanted =
      path === '/rss/search'
        ? query.get('q')
        : /^\/rss\/headlines\/section\/(?:topic|geo)\/(.+)$/.exec(path)?.[1];
    const edition = `${query.get('gl')}:${query.get('hl')?.split('-')[0]}`;
    if (!wanted || query.get('ceid') !== edition) return { status: 404 };
    const found = articles.filter(({ about }) => about.includes(decodeURIComponent(wanted)));
    return { headers: { 'content-type': 'application/xml; charset=utf-8' }, text: feedOf(found) };
  });
}

export function startGoogleNews(): Promise<FakeService> {
  return startFakeService(createGoogleNewsHandler());
}

function feedOf(found: typeof articles): string {
  const items = found.map(
    ({ title, published }, index) =>
      `<item><title>${title}</title><link>https://news.test/${index}</link><guid isPermaLink="false">${index}</guid><pubDate>${published}</pubDate><description>&lt;a href="https://news.test/${index}"&gt;${title}&lt;/a&gt;&amp;nbsp;&lt;font&gt;Paper&lt;/font&gt;</description></item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>News</title>${items.join('')}</channel></rss>`;
}
