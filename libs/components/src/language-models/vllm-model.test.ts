import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('vLLMModel', {
  baseUrlField: 'api_base',
  apiKeyField: 'api_key',
  path: '/v1',
});
