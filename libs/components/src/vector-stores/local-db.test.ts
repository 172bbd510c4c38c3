import { resourcesWithVectors } from '../testing/local-vectors.fixture';
import { describeVectorStore } from './vector-store.contract';

describeVectorStore('Local DB', {
  type: 'LocalDB',
  mismatch: /holds vectors of 26 dimensions; one of 8 does not fit/,
  start: () =>
    Promise.resolve({
      values: { mode: 'Retrieve', collection_name: 'other', existing_collections: 'pets' },
      resources: resourcesWithVectors(),
      close: () => Promise.resolve(),
    }),
});
