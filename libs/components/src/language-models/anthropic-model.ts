import { defineComponent, dropdown, float, integer, secret, text } from '@millrace/flow';
import { chatInputs, chatOutputs } from './definition/chat-inputs';
import { configureChatModel } from './choice/configure-chat-model';
import { anthropic } from '../integrations/providers/providers';
import { runChatModel } from './calls/run-chat-model';
import { textSetting } from '../integrations/text-setting';
import { saidRefusal } from '../integrations/models/model-failure';

export default defineComponent({
  type: 'AnthropicModel',
  aliases: ['AnthropicModelComponent'],
  displayName: 'Anthropic',
  description: 'Calls a Claude model of Anthropic.',
  inputs: {
    ...chatInputs,
    max_tokens: integer({ displayName: 'Max Tokens', default: 4096, advanced: true }),
    model_name: dropdown({
      displayName: 'Model Name',
      options: ['claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001', 'claude-opus-4-5-20251101'],
      default: 'claude-sonnet-4-5-20250929',
    }),
    api_key: secret({ displayName: 'Anthropic API Key', required: true }),
    temperature: float({ displayName: 'Temperature', slider: true, default: 0.1, advanced: true }),
    base_url: text({ displayName: 'Anthropic API URL', default: anthropic.baseUrl, advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  run: async (inputs, context) => {
    const { fields } = context;
    const chat = await configureChatModel(
      anthropic,
      {
        // Nodes of early versions use other field names.
        model: textSetting(fields, ['model_name', 'model']) || inputs.model_name,
        apiKey: inputs.api_key || textSetting(fields, ['anthropic_api_key']),
        baseUrl: textSetting(fields, ['base_url', 'anthropic_api_url']),
        temperature: inputs.temperature,
        maximumTokens: inputs.max_tokens,
      },
      context,
    );
    return runChatModel(chat, inputs, context, { errorOf: saidRefusal });
  },
});
