import { defineCompatibleModel } from './definition/define-compatible-model';
import { perplexity } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'PerplexityModel',
  aliases: ['PerplexityComponent'],
  displayName: 'Perplexity',
  description: 'Calls a chat model of Perplexity.',
  provider: perplexity,
  temperature: 0.75,
  model: 'sonar',
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
