import {
  ComponentError,
  defineComponent,
  float,
  integer,
  model,
  secret,
  text,
  isModelHandle,
} from '@millrace/flow';
import { chatInputs, chatOutputs } from './definition/chat-inputs';
import { namedChatModel, connectedChatModel } from './choice/choose-chat-model';
import { chosenModelKey } from './choice/chosen-model-key';
import { runChatModel } from './calls/run-chat-model';

export default defineComponent({
  type: 'LanguageModelComponent',
  displayName: 'Language Model',
  description: 'Calls a language model of the selected provider.',
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
  reusable: true,
  keyVariable: chosenModelKey,
  run: async (inputs, context) => {
    const connected = connectedChatModel(context);
    if (connected !== null) return runChatModel(connected, inputs, context);
    const chosen = isModelHandle(inputs.model) ? null : inputs.model;
    const name = inputs.model_name || (chosen?.name ?? '');
    if (name === '') throw new ComponentError('A model selection is required');
    const chat = await namedChatModel(
      { provider: inputs.provider || (chosen?.provider ?? 'OpenAI'), name },
      { temperature: inputs.temperature, maximumTokens: inputs.max_tokens },
      context,
    );
    return runChatModel(chat, inputs, context);
  },
});
