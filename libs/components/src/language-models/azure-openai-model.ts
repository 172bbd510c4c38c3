import { boolean, defineComponent, dropdown, float, integer, secret, text } from '@millrace/flow';
import { azureAddress } from '../integrations/azure/azure-address';
import { chatInputs, chatOutputs } from './definition/chat-inputs';
import { configureChatModel } from './choice/configure-chat-model';
import { azureOpenAi } from '../integrations/providers/providers';
import { runChatModel } from './calls/run-chat-model';

export default defineComponent({
  type: 'AzureOpenAIModel',
  aliases: ['AzureChatOpenAIComponent'],
  displayName: 'Azure OpenAI',
  description: 'Calls an OpenAI model that is deployed on Azure.',
  inputs: {
    ...chatInputs,
    azure_endpoint: text({ displayName: 'Azure Endpoint', required: true }),
    azure_deployment: text({ displayName: 'Deployment Name', required: true }),
    api_key: secret({ displayName: 'Azure OpenAI API Key', required: true }),
    api_version: dropdown({
      displayName: 'API Version',
      options: ['2024-06-01', '2024-10-21', '2025-03-01-preview'],
      default: '2025-03-01-preview',
    }),
    temperature: float({ displayName: 'Temperature', slider: true, default: 0.7, advanced: true }),
    max_tokens: integer({ displayName: 'Max Tokens', advanced: true }),
    json_mode: boolean({ displayName: 'JSON Mode', advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  run: async (inputs, context) => {
    const chat = await configureChatModel(
      azureOpenAi,
      {
        model: inputs.azure_deployment,
        apiKey: inputs.api_key,
        temperature: inputs.temperature,
        maximumTokens: inputs.max_tokens,
        json: inputs.json_mode,
        ...azureAddress(context.fields),
      },
      context,
    );
    return runChatModel(chat, inputs, context);
  },
});
