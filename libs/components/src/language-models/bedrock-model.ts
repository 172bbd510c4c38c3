import { ComponentError, defineComponent, dictionary, dropdown } from '@millrace/flow';
import { PythonFloat } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { awsAccess } from '../integrations/aws/aws-access';
import { awsInputs } from '../integrations/aws/aws-inputs';
import { bedrock, bedrockEndpoint } from '../integrations/bedrock/bedrock-call';
import { bedrockChat } from '../integrations/bedrock/bedrock-chat';
import type { ChatParameters } from '../integrations/models/chat-parameters';
import { runChatModel } from './calls/run-chat-model';
import { chatInputs, chatOutputs } from './definition/chat-inputs';

export default defineComponent({
  type: 'AmazonBedrockModel',
  aliases: ['AmazonBedrockComponent', 'AmazonBedrock'],
  displayName: 'Amazon Bedrock',
  description: 'Calls a chat model of Amazon Bedrock.',
  approximates: 'It calls the Converse API of Amazon Bedrock instead of InvokeModel.',
  inputs: {
    ...chatInputs,
    model_id: dropdown({
      displayName: 'Model ID',
      options: ['anthropic.claude-3-haiku-20240307-v1:0', 'amazon.nova-lite-v1:0'],
      default: 'anthropic.claude-3-haiku-20240307-v1:0',
    }),
    ...awsInputs,
    model_kwargs: dictionary({ displayName: 'Model Kwargs', advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  run: (inputs, context) => {
    const { model_id: model } = inputs;
    if (model === '') throw new ComponentError('A model selection is required');
    const access = awsAccess(inputs, bedrock, 'bedrock-runtime');
    const protocol = bedrockChat(access, { streams: true });
    const parameters = protocol.parameters(model, namedParameters(inputs.model_kwargs));
    return runChatModel({ ...bedrockEndpoint(access), model, protocol, parameters }, inputs, context);
  },
});

/** Names that the models of several providers have for the same parameters. */
const names = {
  temperature: ['temperature'],
  maximumTokens: ['max_tokens', 'maxTokens', 'max_tokens_to_sample', 'max_gen_len', 'maxTokenCount'],
  topP: ['top_p', 'topP', 'p'],
};

function namedParameters(given: PythonObject): ChatParameters {
  const further = new Map(Object.entries(given));
  const take = (candidates: readonly string[]): number | null => {
    for (const name of candidates) {
      const value = further.get(name);
      const number = value instanceof PythonFloat ? value.value : value;
      const parsed = typeof number === 'string' && number.trim() !== '' ? Number(number) : number;
      if (typeof parsed !== 'number' || !Number.isFinite(parsed)) continue;
      further.delete(name);
      return parsed;
    }
    return null;
  };
  return {
    temperature: take(names.temperature),
    maximumTokens: take(names.maximumTokens),
    topP: take(names.topP),
    further: Object.fromEntries(further),
  };
}
