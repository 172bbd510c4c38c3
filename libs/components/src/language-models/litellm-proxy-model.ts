import { defineCompatibleModel } from './definition/define-compatible-model';
import { liteLlm } from '../integrations/providers/providers';
import { saidRefusal } from '../integrations/models/model-failure';

export default defineCompatibleModel({
  type: 'LiteLLMProxyModel',
  aliases: ['LiteLLMProxyComponent'],
  displayName: 'LiteLLM Proxy',
  description: 'Calls a chat model through a LiteLLM proxy.',
  provider: liteLlm,
  temperature: 0.7,
  errorOf: saidRefusal,
  baseUrlFields: ['api_base'],
  apiKeyFields: ['api_key'],
});
