import { fakeHandler, startFakeService } from '../http/fake-service.fixture';
import type { FakeHandler, FakeService } from '../http/fake-service.fixture';

const pages = [
  {
    title: 'Mill <b>stones</b>',
    link: 'https://site.test/docs/one',
    snippet: 'A <b>mill</b> stone &amp; its use',
  },
  { title: 'Mill ponds', link: 'https://site.test/docs/two', snippet: 'Water for a mill' },
  { title: 'Missing mill', link: 'https://missing.test/', snippet: 'This mill is missing' },
  { title: 'Bread', link: 'https://site.test/docs/three', snippet: 'Made of grain' },
];

/** DuckDuckGo's results page for browsers without scripts. */
export function createDuckDuckGoHandler(): FakeHandler {
  return fakeHandler(({ method, path, query, headers }) => {
    const words = (query.get('q') ?? '').toLowerCase();
    if (path !== '/html/' || method !== 'GET') return { status: 404 };
    if (!headers['user-agent']?.includes('Mozilla') || words === '') return { status: 403 };
    const results = pages.filter(({ title, snippet }) => `${title} ${snippet}`.toLowerCase().includes(words));
    const html = { 'content-type': 'text/html; charset=UTF-8' };
    return {
      headers: html,
      text: `<html><body><div id="links" class="results">${results.map(resultOf).join('')}</div></body></html>`,
    };
  });
}

export function startDuckDuckGo(): Promise<FakeService> {
  return startFakeService(createDuckDuckGoHandler());
}

function resultOf({ title, link, snippet }: (typeof pages)[number]): string {
  const href = `//duckduckgo.com/l/?uddg=${encodeURIComponent(link)}&amp;rut=0123abcd`;
  return `<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="${href}">${title}</a></h2>
<a class="result__snippet" href="${href}">${snippet}</a></div></div>`;
}
