import { defineCompatibleModel } from './definition/define-compatible-model';
import { deepSeek } from '../integrations/providers/providers';
import { saidRefusal } from '../integrations/models/model-failure';

export default defineCompatibleModel({
  type: 'DeepSeekModelComponent',
  displayName: 'DeepSeek',
  description: 'Calls a chat model of DeepSeek.',
  provider: deepSeek,
  temperature: 1,
  errorOf: saidRefusal,
  baseUrlFields: ['api_base'],
  apiKeyFields: ['api_key'],
});
