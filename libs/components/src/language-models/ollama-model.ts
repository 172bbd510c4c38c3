import { boolean, defineComponent, dictionary, dropdown, float, integer, secret, text } from '@millrace/flow';
import type { InputValues } from '@millrace/flow';
import { ollama } from '../integrations/providers/providers';
import { ollamaChat } from '../integrations/ollama/ollama-chat';
import { textSetting } from '../integrations/text-setting';
import { splitCommas } from '../parsing/split-commas';
import { runChatModel } from './calls/run-chat-model';
import { configureChatModel } from './choice/configure-chat-model';
import { chatInputs, chatOutputs } from './definition/chat-inputs';

/** Settings that only Ollama's own API has. */
const ownInputs = {
  mirostat: dropdown({
    displayName: 'Mirostat',
    options: ['Disabled', 'Mirostat', 'Mirostat 2.0'],
    default: 'Disabled',
    advanced: true,
  }),
  mirostat_eta: float({ displayName: 'Mirostat Eta', advanced: true }),
  mirostat_tau: float({ displayName: 'Mirostat Tau', advanced: true }),
  num_ctx: integer({ displayName: 'Context Window Size', advanced: true }),
  num_gpu: integer({ displayName: 'Number of GPUs', advanced: true }),
  num_thread: integer({ displayName: 'Number of Threads', advanced: true }),
  repeat_last_n: integer({ displayName: 'Repeat Last N', advanced: true }),
  repeat_penalty: float({ displayName: 'Repeat Penalty', advanced: true }),
  tfs_z: float({ displayName: 'TFS Z', advanced: true }),
  top_k: integer({ displayName: 'Top K', advanced: true }),
  stop_tokens: text({ displayName: 'Stop Tokens', advanced: true }),
};

const inputs = {
  ...chatInputs,
  model_name: text({ displayName: 'Model Name', plain: true, required: true }),
  api_key: secret({ displayName: 'API Key' }),
  base_url: text({ displayName: 'Base URL', default: ollama.baseUrl, advanced: true }),
  temperature: float({ displayName: 'Temperature', slider: true, default: 0.1 }),
  max_tokens: integer({ displayName: 'Max Tokens', advanced: true }),
  top_p: float({ displayName: 'Top P', advanced: true }),
  seed: integer({ displayName: 'Seed', advanced: true }),
  model_kwargs: dictionary({ displayName: 'Model Kwargs', advanced: true }),
  json_mode: boolean({ displayName: 'JSON Mode', advanced: true }),
  max_retries: integer({ displayName: 'Max Retries', advanced: true }),
  timeout: integer({ displayName: 'Timeout', advanced: true }),
  ...ownInputs,
};

export default defineComponent({
  type: 'OllamaModel',
  aliases: ['ChatOllamaComponent'],
  displayName: 'Ollama',
  description: 'Calls a chat model on an Ollama server.',
  inputs,
  outputs: chatOutputs,
  deterministic: false,
  reusable: true,
  run: async (values, context) => {
    const own = ownOptions(values);
    const isOwn = Object.keys(own).length > 0;
    const chat = await configureChatModel(
      isOwn ? { ...ollama, protocol: ollamaChat } : ollama,
      {
        model: values.model_name,
        apiKey: values.api_key,
        baseUrl: textSetting(context.fields, ['base_url']),
        temperature: values.temperature,
        maximumTokens: values.max_tokens,
        topP: values.top_p,
        // Some nodes contain -1 for "no limit".
        seed: values.seed !== null && values.seed < 0 ? null : values.seed,
        json: values.json_mode,
        further: { ...own, ...values.model_kwargs },
        maximumRetries: values.max_retries,
        timeoutSeconds: values.timeout,
      },
      context,
    );
    const called = isOwn ? { ...chat, baseUrl: chat.baseUrl.replace(/\/v1$/, '') } : chat;
    return runChatModel(called, values, context);
  },
});

/** Returns the options that are set; 0 stands for a default, as in Langflow. */
function ownOptions(values: InputValues<typeof ownInputs>): Readonly<Record<string, unknown>> {
  const mirostat = { Mirostat: 1, 'Mirostat 2.0': 2 }[values.mirostat];
  const stop = splitCommas(values.stop_tokens);
  const options = {
    ...(mirostat === undefined
      ? {}
      : { mirostat, mirostat_eta: values.mirostat_eta, mirostat_tau: values.mirostat_tau }),
    num_ctx: values.num_ctx,
    num_gpu: values.num_gpu,
    num_thread: values.num_thread,
    repeat_last_n: values.repeat_last_n,
    repeat_penalty: values.repeat_penalty,
    tfs_z: values.tfs_z,
    top_k: values.top_k,
    ...(stop.length === 0 ? {} : { stop }),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => Boolean(value)));
}
