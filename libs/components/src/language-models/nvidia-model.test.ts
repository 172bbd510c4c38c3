import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('NVIDIAModelComponent', {
  baseUrlField: 'base_url',
  apiKeyField: 'api_key',
  path: '',
});
