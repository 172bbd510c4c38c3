import { boolean, defineComponent, dictionary, dropdown, float, integer, secret, text } from '@millrace/flow';
import { chatInputs, chatOutputs } from './definition/chat-inputs';
import { configureChatModel } from './choice/configure-chat-model';
import { openAi } from '../integrations/providers/providers';
import { runChatModel } from './calls/run-chat-model';
import { textSetting } from '../integrations/text-setting';
import { saidRefusal } from '../integrations/models/model-failure';

export default defineComponent({
  type: 'OpenAIModel',
  displayName: 'OpenAI',
  description: 'Calls a chat model of OpenAI, or of any server with an OpenAI-compatible API.',
  inputs: {
    ...chatInputs,
    max_tokens: integer({ displayName: 'Max Tokens', advanced: true }),
    model_kwargs: dictionary({ displayName: 'Model Kwargs', advanced: true }),
    json_mode: boolean({ displayName: 'JSON Mode', advanced: true }),
    model_name: dropdown({
      displayName: 'Model Name',
      options: ['gpt-4o-mini', 'gpt-4o', 'gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-nano'],
      default: 'gpt-4o-mini',
    }),
    openai_api_base: text({ displayName: 'OpenAI API Base', plain: true, advanced: true }),
    api_key: secret({ displayName: 'OpenAI API Key', required: true, variable: 'OPENAI_API_KEY' }),
    temperature: float({ displayName: 'Temperature', slider: true, default: 0.1 }),
    seed: integer({ displayName: 'Seed', default: 1, advanced: true }),
    max_retries: integer({ displayName: 'Max Retries', default: 5, advanced: true }),
    timeout: integer({ displayName: 'Timeout', default: 700, advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  run: async (inputs, context) => {
    const chat = await configureChatModel(
      openAi,
      {
        model: inputs.model_name,
        apiKey: inputs.api_key || textSetting(context.fields, ['openai_api_key']),
        baseUrl: inputs.openai_api_base,
        temperature: inputs.temperature,
        maximumTokens: inputs.max_tokens,
        seed: inputs.seed,
        json: inputs.json_mode,
        further: inputs.model_kwargs,
        maximumRetries: inputs.max_retries,
        timeoutSeconds: inputs.timeout,
      },
      context,
    );
    return runChatModel(chat, inputs, context, { errorOf: saidRefusal });
  },
});
