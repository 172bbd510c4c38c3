import { describeEmbeddings } from './embeddings.contract';

describeEmbeddings('OllamaEmbeddings', {
  values: (url) => ({ model_name: 'some-model', base_url: url, api_key: 'key-of-a-field' }),
});
