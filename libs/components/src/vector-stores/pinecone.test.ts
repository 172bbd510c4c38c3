import { fetchFrom, startFakeService } from '../integrations/http/fake-service.fixture';
import {
  createPineconeHandler,
  pineconeHost,
  pineconeKey,
} from '../integrations/pinecone/pinecone-server.fixture';
import { describeVectorStore } from './vector-store.contract';

describeVectorStore('Pinecone', {
  type: 'Pinecone',
  mismatch: /Pinecone answered with status 400.*dimension 8 does not match the dimension of the index 26/,
  wrongKey: { pinecone_api_key: 'pc-bad' },
  start: async () => {
    const service = await startFakeService(createPineconeHandler());
    const pinecone = fetchFrom({ 'api.pinecone.io': service, [pineconeHost]: service });
    const values = { index_name: 'pets', namespace: 'ours', pinecone_api_key: pineconeKey };
    return {
      values,
      fetch: (input, init) =>
        new URL(String(input)).hostname === '127.0.0.1' ? fetch(input, init) : pinecone(input, init),
      close: () => service.close(),
    };
  },
});
