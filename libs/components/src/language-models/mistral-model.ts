import { defineCompatibleModel } from './definition/define-compatible-model';
import { mistral } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'MistralModel',
  aliases: ['MistralAIModelComponent'],
  displayName: 'MistralAI',
  description: 'Calls a chat model of Mistral AI.',
  provider: mistral,
  temperature: 0.5,
  baseUrlFields: ['mistral_api_base'],
  apiKeyFields: ['api_key', 'mistral_api_key'],
  further: ({ random_seed = null, safe_mode = null }) => ({
    ...(typeof random_seed === 'number' && random_seed >= 0 ? { random_seed } : {}),
    ...(safe_mode === true ? { safe_prompt: true } : {}),
  }),
});
