import { defineCompatibleModel } from './definition/define-compatible-model';
import { xAi } from '../integrations/providers/providers';
import { saidRefusal } from '../integrations/models/model-failure';

export default defineCompatibleModel({
  type: 'xAIModel',
  aliases: ['XAIModelComponent'],
  displayName: 'xAI',
  description: 'Calls a chat model of xAI.',
  provider: xAi,
  model: 'grok-2-latest',
  errorOf: saidRefusal,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
