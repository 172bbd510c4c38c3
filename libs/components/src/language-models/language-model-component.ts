import type { ModelHandle } from '@millrace/flow';
import {
  ComponentError,
  defineComponent,
  float,
  integer,
  isModelHandle,
  model,
  secret,
  text,
} from '@millrace/flow';
import { chatInputs, chatOutputs } from './chat-inputs';
import type { ChatModel } from './chat-model';
import { chatModelOf } from './chat-model';
import { configureChatModel } from './configure-chat-model';
import { findProvider, providerNames } from './providers';
import { runChatModel } from './run-chat-model';

export default defineComponent({
  type: 'LanguageModelComponent',
  displayName: 'Language Model',
  description: 'Asks a language model of any provider that speaks the OpenAI protocol.',
  inputs: {
    model: model({ displayName: 'Language Model', required: true }),
    model_name: text({ displayName: 'Model Name', plain: true, advanced: true }),
    provider: text({ displayName: 'Provider', plain: true, advanced: true }),
    api_key: secret({ displayName: 'API Key', advanced: true }),
    ollama_base_url: text({ displayName: 'Ollama API URL', advanced: true }),
    ...chatInputs,
    temperature: float({ displayName: 'Temperature', slider: true, default: 0.1, advanced: true }),
    max_tokens: integer({ displayName: 'Max Tokens', advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  run: async (inputs, context) => {
    const { model: chosen } = inputs;
    if (isModelHandle(chosen)) return runChatModel(wiredModel(chosen), inputs, context);
    const name = inputs.provider || chosen?.provider || 'OpenAI';
    const modelName = inputs.model_name || chosen?.name || '';
    if (modelName === '') throw new ComponentError('A model selection is required');
    const provider = findProvider(name);
    if (provider === undefined) {
      throw new ComponentError(
        `The provider "${name}" of "${context.vertex.displayName}" is not one of: ${providerNames.join(', ')}.`,
      );
    }
    const chat = await configureChatModel(
      provider,
      {
        model: modelName,
        apiKey: inputs.api_key,
        baseUrl: provider.name === 'Ollama' ? inputs.ollama_base_url : '',
        temperature: inputs.temperature,
        maximumTokens: inputs.max_tokens,
      },
      context,
    );
    return runChatModel(chat, inputs, context);
  },
});

function wiredModel(handle: ModelHandle): ChatModel {
  const chat = chatModelOf(handle);
  if (chat === null)
    throw new ComponentError(`The wired model "${handle.model}" cannot be called from here.`);
  return chat;
}
