import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('DeepSeekModelComponent', {
  baseUrlField: 'api_base',
  apiKeyField: 'api_key',
  path: '',
});
