import { ComponentError } from '@millrace/flow';
import { checkProxyModel, refusedKey } from './calls/check-proxy-model';
import { defineCompatibleModel } from './definition/define-compatible-model';
import { ModelRefusal, saidRefusal } from '../integrations/models/model-failure';
import { liteLlm } from '../integrations/providers/providers';

export default defineCompatibleModel({
  type: 'LiteLLMProxyModel',
  aliases: ['LiteLLMProxyComponent'],
  displayName: 'LiteLLM Proxy',
  description: 'Calls a chat model through a LiteLLM proxy.',
  provider: liteLlm,
  temperature: 0.7,
  check: checkProxyModel,
  errorOf,
  baseUrlFields: ['api_base'],
  apiKeyFields: ['api_key'],
});

function errorOf(error: unknown, model: string): unknown {
  if (!(error instanceof ComponentError) || !(error.cause instanceof ModelRefusal)) return error;
  const { status } = error.cause;
  if (status === 401) return new ComponentError(refusedKey, error);
  if (status === 404) return new ComponentError(`Model '${model}' not found. Verify the model name.`, error);
  return saidRefusal(error);
}
