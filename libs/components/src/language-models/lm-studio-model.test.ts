import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('LMStudioModel', { baseUrlField: 'base_url', apiKeyField: 'api_key', path: '/v1' });
