import { fakeHandler, startFakeService } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';

const summaries: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  MILL: {
    quoteType: { symbol: 'MILL', longName: 'Mill Works' },
    summaryDetail: { previousClose: 12.5 },
    recommendationTrend: { trend: [{ period: '0m', buy: 3 }] },
  },
};
const news = [
  {
    uuid: '1',
    title: 'MILL opens a mill',
    publisher: 'Paper',
    link: 'https://news.test/1',
    relatedTickers: ['MILL'],
  },
  {
    uuid: '2',
    title: 'MILL closes a mill',
    publisher: 'Paper',
    link: 'https://news.test/2',
    relatedTickers: ['MILL'],
  },
  {
    uuid: '3',
    title: 'BRED bakes',
    publisher: 'Paper',
    link: 'https://news.test/3',
    relatedTickers: ['BRED'],
  },
];
const cookie = 'A3=cookie';
const crumb = 'cr/umb';

/** Returns a fake of the API behind Yahoo's pages: cookie, crumb, summaries, prices and news. */
export function createYahooHandler(): FakeHandler {
  return fakeHandler((request) => {
    const { path, headers, query } = request;
    if (!headers['user-agent']?.includes('Mozilla')) return { status: 429, text: 'Too Many Requests' };
    if (path === '/')
      return { status: 404, headers: { 'set-cookie': `${cookie}; Domain=.yahoo.com; Secure` } };
    if (path === '/v1/test/getcrumb') return headers.cookie === cookie ? { text: crumb } : { status: 401 };
    if (path === '/v1/finance/search') return search(query);
    const [, kind, symbol = ''] = /^\/v\d+\/finance\/(quoteSummary|chart)\/(\w+)$/.exec(path) ?? [];
    if (kind === 'chart') return chart(symbol);
    return kind === 'quoteSummary' ? summary(request, symbol) : { status: 404 };
  });
}

export function startYahoo(): Promise<FakeService> {
  return startFakeService(createYahooHandler());
}

/** Returns all Yahoo hosts that the components call. */
export function yahooHosts(server: FakeService) {
  return { 'fc.yahoo.com': server, 'query1.finance.yahoo.com': server, 'query2.finance.yahoo.com': server };
}

function search(query: URLSearchParams): FakeAnswer {
  const found = news.filter(({ relatedTickers }) => relatedTickers.includes(query.get('q') ?? ''));
  return { json: { count: found.length, quotes: [], news: found.slice(0, Number(query.get('newsCount'))) } };
}

function summary({ headers, query }: FakeRequest, symbol: string): FakeAnswer {
  const error = (status: number, code: string, description: string): FakeAnswer => ({
    status,
    json: { quoteSummary: { result: null, error: { code, description } } },
  });
  if (headers.cookie !== cookie || query.get('crumb') !== crumb)
    return error(401, 'Unauthorized', 'Invalid Crumb');
  const known = summaries[symbol];
  if (known === undefined) return error(404, 'Not Found', `Quote not found for symbol: ${symbol}`);
  const wanted = (query.get('modules') ?? '').split(',');
  const result = Object.fromEntries(Object.entries(known).filter(([name]) => wanted.includes(name)));
  return { json: { quoteSummary: { result: [result], error: null } } };
}

function chart(symbol: string): FakeAnswer {
  if (summaries[symbol] === undefined)
    return {
      status: 404,
      json: {
        chart: {
          result: null,
          error: { code: 'Not Found', description: 'No data found, symbol may be delisted' },
        },
      },
    };
  const dividends = { '1700000000': { amount: 0.5, date: 1_700_000_000 } };
  return {
    json: {
      chart: {
        result: [{ meta: { symbol, currency: 'EUR' }, timestamp: [], events: { dividends } }],
        error: null,
      },
    },
  };
}
