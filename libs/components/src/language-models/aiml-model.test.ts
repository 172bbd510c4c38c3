import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('AIMLModel', {
  baseUrlField: 'aiml_api_base',
  apiKeyField: 'api_key',
  path: '',
});
