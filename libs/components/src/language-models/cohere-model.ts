import { defineCompatibleModel } from './definition/define-compatible-model';
import { cohere } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'CohereModel',
  aliases: ['CohereComponent'],
  displayName: 'Cohere',
  description: 'Calls a chat model of Cohere.',
  provider: cohere,
  temperature: 0.75,
  model: 'command-r-plus',
  baseUrlFields: ['base_url'],
  apiKeyFields: ['cohere_api_key', 'api_key'],
});
