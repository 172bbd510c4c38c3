import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { resourcesWithVectors } from '../testing/local-vectors.fixture';
import { describeVectorStore } from './vector-store.contract';

describeVectorStore('FAISS', {
  type: 'FAISS',
  mismatch: /holds vectors of 26 dimensions; one of 8 does not fit/,
  start: () =>
    Promise.resolve({
      values: { persist_directory: '/data/index', index_name: 'pets' },
      resources: resourcesWithVectors(),
      close: () => Promise.resolve(),
    }),
});

test('reports a search without an embedding model', async () => {
  const run = runFlow(flow([node('FAISS-f', 'FAISS', { search_query: 'cat' })]), {
    show: 'FAISS-f',
    resources: resourcesWithVectors(),
  });
  expect(await failureOf(run)).toContain('An embedding model is required');
});
