import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('MistralModel', {
  baseUrlField: 'mistral_api_base',
  apiKeyField: 'api_key',
  path: '/v1',
});
