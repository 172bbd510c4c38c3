import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('OllamaModel', { baseUrlField: 'base_url', apiKeyField: 'api_key', path: '/v1' });
