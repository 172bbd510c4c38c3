import { defineComponent, dropdown, float, integer, secret } from '@millrace/flow';
import { chatInputs, chatOutputs } from './definition/chat-inputs';
import { configureChatModel } from './choice/configure-chat-model';
import { google } from '../integrations/providers/providers';
import { runChatModel } from './calls/run-chat-model';
import { textSetting } from '../integrations/text-setting';

const defaultModel = 'gemini-2.5-flash';

export default defineComponent({
  type: 'GoogleGenerativeAIModel',
  aliases: ['GoogleGenerativeAIComponent'],
  displayName: 'Google Generative AI',
  description: 'Calls a Gemini model of Google.',
  inputs: {
    ...chatInputs,
    max_output_tokens: integer({ displayName: 'Max Output Tokens' }),
    model_name: dropdown({
      displayName: 'Model',
      options: [defaultModel, 'gemini-2.5-pro', 'gemini-2.0-flash'],
      default: defaultModel,
    }),
    api_key: secret({ displayName: 'Google API Key', required: true }),
    top_p: float({ displayName: 'Top P', advanced: true }),
    temperature: float({ displayName: 'Temperature', slider: true, default: 0.1 }),
    top_k: integer({ displayName: 'Top K', advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  run: async (inputs, context) => {
    const { fields } = context;
    const chat = await configureChatModel(
      google,
      {
        // Older nodes call these fields `model` and `google_api_key`.
        model: textSetting(fields, ['model_name', 'model']) || defaultModel,
        apiKey: textSetting(fields, ['api_key', 'google_api_key']),
        baseUrl: '',
        temperature: inputs.temperature,
        maximumTokens: inputs.max_output_tokens,
        topP: inputs.top_p,
        topK: inputs.top_k,
      },
      context,
    );
    return runChatModel(chat, inputs, context);
  },
});
