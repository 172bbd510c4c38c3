import { describeEmbeddings } from './embeddings.contract';

describeEmbeddings('AIMLAPIEmbeddings', {
  values: (url) => ({ model_name: 'some-model', aimlapi_base: url, aimlapi_api_key: 'key-of-a-field' }),
});
