import { defineComponent, dictionary, float, integer, message, secret, text } from '@millrace/flow';
import { chatInputs, chatOutputs } from './definition/chat-inputs';
import { configureChatModel } from './choice/configure-chat-model';
import { providerKey } from './choice/chosen-model-key';
import { openAi } from '../integrations/providers/providers';
import { runChatModel } from './calls/run-chat-model';
import { textSetting } from '../integrations/text-setting';

const keyFields = ['api_key', 'openai_api_key'];

export default defineComponent({
  type: 'OpenAI',
  aliases: ['ChatOpenAI', 'OpenAILLM'],
  displayName: 'OpenAI (before Langflow 1.0)',
  description: 'Calls a chat model of OpenAI with the fields of flows from before Langflow 1.0.',
  inputs: {
    ...chatInputs,
    prompt: message({ displayName: 'Prompt' }),
    model_name: text({ displayName: 'Model Name', plain: true, default: 'gpt-4o-mini' }),
    api_key: secret({ displayName: 'OpenAI API Key' }),
    openai_api_base: text({ displayName: 'OpenAI API Base', plain: true, advanced: true }),
    temperature: float({ displayName: 'Temperature', default: 0.7 }),
    max_tokens: integer({ displayName: 'Max Tokens', advanced: true }),
    model_kwargs: dictionary({ displayName: 'Model Kwargs', advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  keyVariable: (saved) => providerKey(openAi, keyFields, saved),
  run: async (inputs, context) => {
    const chat = await configureChatModel(
      openAi,
      {
        model: inputs.model_name || 'gpt-4o-mini',
        apiKey: textSetting(context.fields, keyFields),
        baseUrl: inputs.openai_api_base,
        temperature: inputs.temperature,
        maximumTokens: inputs.max_tokens,
        further: inputs.model_kwargs,
      },
      context,
    );
    return runChatModel(chat, { ...inputs, input_value: inputs.prompt ?? inputs.input_value }, context);
  },
});
