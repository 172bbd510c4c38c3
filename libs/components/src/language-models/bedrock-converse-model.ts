import {
  boolean,
  ComponentError,
  defineComponent,
  dictionary,
  dropdown,
  float,
  integer,
} from '@millrace/flow';
import { awsAccess } from '../integrations/aws/aws-access';
import { awsInputs } from '../integrations/aws/aws-inputs';
import { bedrock, bedrockEndpoint } from '../integrations/bedrock/bedrock-call';
import { bedrockChat } from '../integrations/bedrock/bedrock-chat';
import { runChatModel } from './calls/run-chat-model';
import { chatInputs, chatOutputs } from './definition/chat-inputs';

export default defineComponent({
  type: 'AmazonBedrockConverseModel',
  aliases: ['AmazonBedrockConverseComponent'],
  displayName: 'Amazon Bedrock Converse',
  description: 'Calls a chat model of Amazon Bedrock with the Converse API.',
  inputs: {
    ...chatInputs,
    model_id: dropdown({
      displayName: 'Model ID',
      options: [
        'anthropic.claude-3-5-sonnet-20241022-v2:0',
        'anthropic.claude-3-haiku-20240307-v1:0',
        'amazon.nova-pro-v1:0',
        'amazon.nova-lite-v1:0',
        'meta.llama3-1-70b-instruct-v1:0',
        'mistral.mistral-large-2402-v1:0',
      ],
      default: 'anthropic.claude-3-5-sonnet-20241022-v2:0',
    }),
    ...awsInputs,
    temperature: float({ displayName: 'Temperature', default: 0.7, advanced: true }),
    max_tokens: integer({ displayName: 'Max Tokens', default: 4096, advanced: true }),
    top_p: float({ displayName: 'Top P', default: 0.9, advanced: true }),
    top_k: integer({ displayName: 'Top K', default: 250, advanced: true }),
    disable_streaming: boolean({ displayName: 'Disable Streaming', advanced: true }),
    additional_model_fields: dictionary({ displayName: 'Additional Model Fields', advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  run: (inputs, context) => {
    const { model_id: model } = inputs;
    if (model === '') throw new ComponentError('A model selection is required');
    const access = awsAccess(inputs, bedrock, 'bedrock-runtime');
    const protocol = bedrockChat(access, { streams: !inputs.disable_streaming });
    // Of the providers, Anthropic alone documents the parameter for this API.
    const topK = /(?:^|\.)anthropic\./.test(model) ? { top_k: inputs.top_k } : {};
    const parameters = protocol.parameters(model, {
      temperature: inputs.temperature,
      maximumTokens: inputs.max_tokens,
      topP: inputs.top_p,
      further: { ...topK, ...inputs.additional_model_fields },
    });
    return runChatModel({ ...bedrockEndpoint(access), model, protocol, parameters }, inputs, context);
  },
});
