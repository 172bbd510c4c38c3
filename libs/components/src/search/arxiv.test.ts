import { startArXiv } from '../integrations/arxiv/arxiv-server.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const server = serviceForEachTest(startArXiv);

const search = (values: Readonly<Record<string, unknown>>) =>
  outputOf('ArXivComponent', values, { 'export.arxiv.org': server });

test('returns the arXiv record of a paper', async () => {
  expect(await search({ search_query: 'quantum' })).toEqual([
    {
      id: 'http://arxiv.org/abs/2301.00001v1',
      title: 'Mills on quantum rivers',
      summary: 'We grind grain with qubits.',
      published: '2023-01-01T00:00:00Z',
      updated: '2023-01-02T00:00:00Z',
      authors: ['Ada Miller'],
      arxiv_url: 'http://arxiv.org/abs/2301.00001v1',
      pdf_url: 'http://arxiv.org/pdf/2301.00001v1',
      comment: '9 pages',
      journal_ref: null,
      primary_category: 'quant-ph',
      categories: ['quant-ph'],
    },
  ]);
});

test.each([
  [{ search_query: 'mills' }, 2],
  [{ search_query: 'mills', search_type: 'title' }, 1],
  [{ search_query: 'mills', search_type: 'abstract' }, 1],
  [{ search_query: 'baker', search_type: 'author' }, 1],
  [{ search_query: 'cs.AI', search_type: 'cat' }, 1],
  [{ search_query: 'mills', max_results: 1 }, 1],
  [{ search_query: 'nothing' }, 0],
])('%j finds %i', async (values, count) => {
  expect(await search(values)).toHaveLength(count);
});

test('gives a row with the error where the server cannot be reached', async () => {
  expect(await outputOf('ArXivComponent', { search_query: 'x' }, {})).toEqual([
    { error: 'Request error: arXiv (export.arxiv.org) could not be reached: ENOTFOUND' },
  ]);
});
