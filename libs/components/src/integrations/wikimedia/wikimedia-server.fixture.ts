import { fakeHandler, startFakeService } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';

const pages = [
  { pageid: 1, title: 'Watermill', extract: 'A watermill uses water power.\n\n\n== History ==\nIt is old.' },
  { pageid: 2, title: 'Windmill', extract: 'A windmill uses wind.' },
  { pageid: 3, title: 'River', extract: 'A river is flowing water.' },
] as const;

const things = [
  { id: 'Q185187', label: 'watermill', description: 'structure that uses water' },
  { id: 'Q38720', label: 'windmill', description: 'machine that uses wind' },
] as const;

/** The API that Wikipedia and Wikidata share: searches, page texts, and items by name. */
export function createWikimediaHandler(): FakeHandler {
  return fakeHandler((request) => {
    if (request.path !== '/w/api.php') return { status: 404 };
    if (request.headers['user-agent'] === undefined) return { status: 403, text: 'Please set a user-agent' };
    if (request.query.get('format') !== 'json') return { text: '<html>' };
    if (request.query.get('action') === 'wbsearchentities') return searchThings(request);
    return request.query.get('list') === 'search' ? searchPages(request) : readPages(request);
  });
}

export function startWikimedia(): Promise<FakeService> {
  return startFakeService(createWikimediaHandler());
}

function searchPages({ query }: FakeRequest): FakeAnswer {
  const words = (query.get('srsearch') ?? '').toLowerCase();
  if (words === '')
    return { json: { error: { code: 'missingparam', info: 'The "srsearch" parameter must be set.' } } };
  const found = pages.filter(({ title, extract }) => `${title} ${extract}`.toLowerCase().includes(words));
  const search = found
    .slice(0, Number(query.get('srlimit') ?? 10))
    .map(({ pageid, title }) => ({ ns: 0, pageid, title }));
  return { json: { batchcomplete: true, query: { search } } };
}

function readPages({ query }: FakeRequest): FakeAnswer {
  const found = pages.filter(({ title }) => title === query.get('titles'));
  if (query.get('prop') !== 'extracts|info' || query.get('explaintext') === null)
    return { json: { batchcomplete: true } };
  const address = (title: string) => `https://en.wikipedia.org/wiki/${title}`;
  return {
    json: {
      query: {
        pages: found.map((page) => ({
          ns: 0,
          ...page,
          fullurl: address(page.title),
          canonicalurl: address(page.title),
        })),
      },
    },
  };
}

function searchThings({ query }: FakeRequest): FakeAnswer {
  const words = query.get('search') ?? '';
  if (words === '' || query.get('language') === null)
    return { json: { error: { code: 'missingparam', info: 'The "search" parameter must be set.' } } };
  const search = things
    .filter(({ label }) => label.includes(words))
    .map((thing) => ({
      ...thing,
      url: `//www.wikidata.org/wiki/${thing.id}`,
      concepturi: `http://www.wikidata.org/entity/${thing.id}`,
    }));
  return { json: { searchinfo: { search: words }, search, success: 1 } };
}
