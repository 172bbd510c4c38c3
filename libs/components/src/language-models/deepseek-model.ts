import { defineCompatibleModel } from './definition/define-compatible-model';
import { deepSeek } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'DeepSeekModelComponent',
  displayName: 'DeepSeek',
  description: 'Calls a chat model of DeepSeek.',
  provider: deepSeek,
  temperature: 1,
  saysRefusals: true,
  baseUrlFields: ['api_base'],
  apiKeyFields: ['api_key'],
});
