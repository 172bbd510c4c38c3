import { defineComponent, dictionary, float, integer, secret, text } from '@millrace/flow';
import { chatInputs, chatOutputs } from './definition/chat-inputs';
import { configureChatModel } from './choice/configure-chat-model';
import { huggingFace } from '../integrations/providers/providers';
import { runChatModel } from './calls/run-chat-model';
import { textSetting } from '../integrations/text-setting';

/** The address in older nodes has been shut down; the router has replaced it. */
const formerAddress = 'api-inference.huggingface.co';

export default defineComponent({
  type: 'HuggingFaceModel',
  aliases: ['HuggingFaceEndpointsComponent'],
  displayName: 'Hugging Face',
  description: 'Calls a chat model of Hugging Face or of your own inference endpoint.',
  approximates:
    "Models are called as chat models, also where Langflow's component requests a text completion.",
  inputs: {
    ...chatInputs,
    model_id: text({
      displayName: 'Model ID',
      plain: true,
      required: true,
      default: 'meta-llama/Llama-3.3-70B-Instruct',
    }),
    custom_model: text({ displayName: 'Custom Model ID', plain: true }),
    max_new_tokens: integer({ displayName: 'Max New Tokens', default: 512 }),
    top_p: float({ displayName: 'Top P', default: 0.95, advanced: true }),
    temperature: float({ displayName: 'Temperature', slider: true, default: 0.8, advanced: true }),
    huggingfacehub_api_token: secret({ displayName: 'User Access Token', required: true }),
    inference_endpoint: text({
      displayName: 'Inference Endpoint',
      default: huggingFace.baseUrl,
      required: true,
    }),
    model_kwargs: dictionary({ displayName: 'Model Keyword Arguments', advanced: true }),
    retry_attempts: integer({ displayName: 'Retry Attempts', default: 1, advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  run: async (inputs, context) => {
    const address = inputs.inference_endpoint;
    const chosen = inputs.model_id === 'custom' ? '' : inputs.model_id;
    const chat = await configureChatModel(
      huggingFace,
      {
        model: inputs.custom_model || chosen,
        apiKey: textSetting(context.fields, ['huggingfacehub_api_token', 'api_key']),
        baseUrl: address.includes(formerAddress) ? huggingFace.baseUrl : address,
        temperature: inputs.temperature,
        maximumTokens: inputs.max_new_tokens,
        topP: inputs.top_p,
        further: inputs.model_kwargs,
        maximumRetries: inputs.retry_attempts,
      },
      context,
    );
    return runChatModel(chat, inputs, context);
  },
});
