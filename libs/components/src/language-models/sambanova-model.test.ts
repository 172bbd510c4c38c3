import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('SambaNovaModel', {
  baseUrlField: 'base_url',
  apiKeyField: 'api_key',
  path: '',
});
