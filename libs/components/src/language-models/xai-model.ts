import { defineCompatibleModel } from './definition/define-compatible-model';
import { xAi } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'xAIModel',
  aliases: ['XAIModelComponent'],
  displayName: 'xAI',
  description: 'Calls a chat model of xAI.',
  provider: xAi,
  model: 'grok-2-latest',
  saysRefusals: true,
  baseUrlFields: ['base_url'],
  apiKeyFields: ['api_key'],
});
