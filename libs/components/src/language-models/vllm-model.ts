import { defineCompatibleModel } from './definition/define-compatible-model';
import { vLlm } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'vLLMModel',
  aliases: ['VllmComponent'],
  displayName: 'vLLM',
  description: 'Calls a chat model on a vLLM server.',
  provider: vLlm,
  baseUrlFields: ['api_base'],
  apiKeyFields: ['api_key'],
});
