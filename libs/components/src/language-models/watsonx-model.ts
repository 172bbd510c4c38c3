import {
  boolean,
  ComponentError,
  defineComponent,
  dropdown,
  float,
  integer,
  isDict,
  secret,
  text,
} from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { chatInputs, chatOutputs } from './definition/chat-inputs';
import { configureChatModel } from './choice/configure-chat-model';
import { watsonx } from '../integrations/providers/providers';
import { runChatModel } from './calls/run-chat-model';
import { textSetting } from '../integrations/text-setting';
import { watsonxRegions } from '../integrations/watsonx/watsonx-regions';

export default defineComponent({
  type: 'IBMwatsonxModel',
  aliases: ['WatsonxAIComponent'],
  displayName: 'IBM watsonx.ai',
  description: 'Calls a foundation model of IBM watsonx.ai.',
  inputs: {
    ...chatInputs,
    base_url: dropdown({ displayName: 'watsonx API Endpoint', options: watsonxRegions }),
    project_id: text({ displayName: 'watsonx Project ID', plain: true }),
    space_id: text({ displayName: 'watsonx Space ID', plain: true }),
    api_key: secret({ displayName: 'watsonx API Key', required: true }),
    model_name: dropdown({ displayName: 'Model Name', required: true, options: [] }),
    max_tokens: integer({ displayName: 'Max Tokens', default: 1000, advanced: true }),
    stop_sequence: text({ displayName: 'Stop Sequence', plain: true, advanced: true }),
    temperature: float({ displayName: 'Temperature', slider: true, default: 0.1, advanced: true }),
    top_p: float({ displayName: 'Top P', slider: true, default: 0.9, advanced: true }),
    frequency_penalty: float({
      displayName: 'Frequency Penalty',
      slider: true,
      default: 0.5,
      advanced: true,
    }),
    presence_penalty: float({ displayName: 'Presence Penalty', slider: true, default: 0.3, advanced: true }),
    seed: integer({ displayName: 'Random Seed', default: 8, advanced: true }),
    logprobs: boolean({ displayName: 'Log Probabilities', default: true, advanced: true }),
    top_logprobs: integer({ displayName: 'Top Log Probabilities', default: 3, advanced: true }),
    logit_bias: text({ displayName: 'Logit Bias', plain: true, advanced: true }),
  },
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  run: async (inputs, context) => {
    const stop = inputs.stop_sequence;
    const bias = inputs.logit_bias.trim();
    const chat = await configureChatModel(
      watsonx,
      {
        model: inputs.model_name,
        apiKey: inputs.api_key,
        // Older nodes call the endpoint `url`.
        baseUrl: textSetting(context.fields, ['base_url', 'url']),
        temperature: inputs.temperature,
        maximumTokens: inputs.max_tokens,
        topP: inputs.top_p,
        seed: inputs.seed,
        further: {
          frequency_penalty: inputs.frequency_penalty,
          presence_penalty: inputs.presence_penalty,
          logprobs: inputs.logprobs,
          ...(inputs.logprobs ? { top_logprobs: inputs.top_logprobs } : {}),
          ...(stop === '' ? {} : { stop: [stop] }),
          ...(bias === '' ? {} : { logit_bias: readBias(bias) }),
        },
      },
      context,
    );
    return runChatModel(chat, inputs, context);
  },
});

function readBias(json: string): PythonObject {
  try {
    const value = parsePythonJson(json);
    if (isDict(value)) return value;
  } catch {
    // Reported below.
  }
  throw new ComponentError('Logit Bias must be a JSON object of token ids and numbers.');
}
