import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('NovitaModel', {
  baseUrlField: 'base_url',
  apiKeyField: 'api_key',
  path: '',
});
