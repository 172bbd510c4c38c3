import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('PerplexityModel', {
  baseUrlField: 'base_url',
  apiKeyField: 'api_key',
  path: '',
});
