import { describeEmbeddings } from './embeddings.contract';

describeEmbeddings('LMStudioEmbeddingsComponent', {
  values: (url) => ({ model: 'some-model', base_url: url, api_key: 'key-of-a-field' }),
});
