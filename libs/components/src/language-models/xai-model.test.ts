import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('xAIModel', {
  baseUrlField: 'base_url',
  apiKeyField: 'api_key',
  path: '',
});
