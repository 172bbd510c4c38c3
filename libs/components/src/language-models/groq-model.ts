import { defineCompatibleModel } from './definition/define-compatible-model';
import { groq } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'GroqModel',
  displayName: 'Groq',
  description: 'Calls a chat model of Groq.',
  provider: groq,
  baseUrlFields: ['base_url', 'groq_api_base'],
  apiKeyFields: ['api_key', 'groq_api_key'],
});
