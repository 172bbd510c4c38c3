import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('CohereModel', {
  baseUrlField: 'base_url',
  apiKeyField: 'cohere_api_key',
  path: '',
});
