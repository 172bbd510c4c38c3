import { ComponentError, isModelHandle } from '@millrace/flow';
import type { ComponentContext, ModelChoice, ModelHandle } from '@millrace/flow';
import { PythonFloat } from '@millrace/python-text';
import { azureAddress } from '../../integrations/azure/azure-address';
import type { ChatModel } from '../../integrations/models/chat-protocol';
import { chatModelOf } from './chat-model';
import { configureChatModel } from './configure-chat-model';
import type { ChatSettings } from './configure-chat-model';
import {
  azureOpenAi,
  baseUrlFieldsOf,
  findProvider,
  providerNames,
} from '../../integrations/providers/providers';
import { textSetting } from '../../integrations/text-setting';

/** Inputs that accept a connected model, newest name first. */
export const handleFields = ['model', 'llm', 'agent_llm'];
export const apiKeyFields = [
  'api_key',
  'groq_api_key',
  'mistral_api_key',
  'google_api_key',
  'anthropic_api_key',
  'custom_api_key',
];

/** A model by name; empty texts mean that none is selected. */
export interface ChosenModel {
  readonly provider: string;
  readonly name: string;
}

export type ModelSettings = Omit<ChatSettings, 'model' | 'apiKey' | 'baseUrl' | 'headers' | 'query'>;

/**
 * Returns the model that is connected to the vertex, under any of the names that such inputs have had; null without
 * one.
 */
export function connectedChatModel(context: ComponentContext): ChatModel | null {
  for (const field of handleFields) {
    const value = context.fields[field];
    const handle: unknown = Array.isArray(value) ? value[0] : value;
    if (isModelHandle(handle)) return requireChatModel(handle);
  }
  return null;
}

/**
 * Returns the model for a vertex: a connected one, else the one selected in its field `model`, else the one that the
 * fields of older nodes name. Throws a ComponentError with `missing` when there is none.
 */
export async function chosenChatModel(
  chosen: ModelHandle | ModelChoice | null,
  missing: string,
  context: ComponentContext,
): Promise<ChatModel> {
  const connected = connectedChatModel(context);
  if (connected !== null) return connected;
  const { fields } = context;
  const choice =
    chosen === null || isModelHandle(chosen)
      ? {
          provider: textSetting(fields, ['agent_llm', 'provider']) || 'OpenAI',
          name: textSetting(fields, ['model_name', 'custom_model_name']),
        }
      : chosen;
  if (choice.name === '' && choice.provider !== azureOpenAi.name) throw new ComponentError(missing);
  return namedChatModel(choice, savedSettings(fields), context);
}

/** Returns the model settings of a node, under all field names that versions have used. */
function savedSettings(fields: ComponentContext['fields']): ModelSettings {
  return {
    temperature: numberSetting(fields, 'temperature'),
    maximumTokens: numberSetting(fields, 'max_tokens') ?? numberSetting(fields, 'max_output_tokens'),
    seed: numberSetting(fields, 'seed'),
    json: fields['json_mode'] === true,
    maximumRetries: numberSetting(fields, 'max_retries'),
    timeoutSeconds: numberSetting(fields, 'timeout'),
  };
}

function numberSetting(fields: ComponentContext['fields'], name: string): number | null {
  const value = fields[name];
  if (value instanceof PythonFloat) return value.value;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Returns a provider's model, with the key and the address from the fields of the vertex or from stored variables. */
export async function namedChatModel(
  { provider: name, name: model }: ChosenModel,
  settings: ModelSettings,
  context: ComponentContext,
): Promise<ChatModel> {
  const provider = findProvider(name);
  if (provider === undefined) {
    throw new ComponentError(
      `The provider "${name}" of "${context.vertex.displayName}" is not one of: ${providerNames.join(', ')}.`,
    );
  }
  const { fields } = context;
  const azure = provider === azureOpenAi ? azureAddress(fields) : {};
  const baseUrl = textSetting(fields, baseUrlFieldsOf(provider));
  return configureChatModel(
    provider,
    {
      ...settings,
      // A deployment on Azure is a model with its own name.
      model: model || textSetting(fields, ['azure_deployment']),
      apiKey: textSetting(fields, apiKeyFields),
      baseUrl,
      ...azure,
    },
    context,
  );
}

function requireChatModel(handle: ModelHandle): ChatModel {
  const chat = chatModelOf(handle);
  if (chat === null)
    throw new ComponentError(
      `The connected model "${handle.model}" is not a chat model that this component can call.`,
    );
  return chat;
}
