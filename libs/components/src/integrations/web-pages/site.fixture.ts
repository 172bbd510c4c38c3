import { fakeHandler, startFakeService } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeService } from '../http/fake-service.fixture';

const html = (title: string, body: string): FakeAnswer => ({
  text: `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="About ${title}."></head><body>${body}</body></html>`,
  headers: { 'content-type': 'text/html; charset=utf-8' },
});

const pages: Readonly<Record<string, FakeAnswer>> = {
  '/': html(
    'Home',
    '<h1>Welcome</h1><p>See <a href="/docs/">docs</a>.</p><a href="https://elsewhere.test/">out</a>',
  ),
  '/docs/': html(
    'Docs',
    '<h1>Docs</h1><a href="one">one</a> <a href="/docs/two#part">two</a> <a href="/">up</a>',
  ),
  '/docs/one': html('One', '<p>First of two.</p><a href="/docs/three">three</a>'),
  '/docs/two': html('Two', '<p>Second of two.</p><img src="a.png"><a href="/style.css">style</a>'),
  '/docs/three': html('Three', '<p>Third of two.</p>'),
  '/bare': { text: '<html><body>Bare.</body></html>', headers: { 'content-type': 'text/html' } },
  '/latin': {
    bytes: Buffer.from('<p>grün</p>', 'latin1'),
    headers: { 'content-type': 'text/html; charset=iso-8859-1' },
  },
};

/** A site of a few pages that link to each other; other paths return its 404 page. */
export function createSiteHandler(): FakeHandler {
  return fakeHandler(
    ({ path }) => pages[path] ?? { ...html('Missing', '<p>No such page.</p>'), status: 404 },
  );
}

export function startSite(): Promise<FakeService> {
  return startFakeService(createSiteHandler());
}
