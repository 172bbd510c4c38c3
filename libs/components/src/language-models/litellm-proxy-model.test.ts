import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('LiteLLMProxyModel', {
  baseUrlField: 'api_base',
  apiKeyField: 'api_key',
  path: '',
});
