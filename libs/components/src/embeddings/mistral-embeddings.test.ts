import { describeEmbeddings } from './embeddings.contract';

describeEmbeddings('MistalAIEmbeddings', {
  values: (url) => ({ model: 'some-model', endpoint: url, mistral_api_key: 'key-of-a-field' }),
});
