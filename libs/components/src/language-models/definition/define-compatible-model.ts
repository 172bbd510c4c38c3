import { boolean, defineComponent, dictionary, float, integer, secret, text } from '@millrace/flow';
import type { Component, ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { chatInputs, chatOutputs } from './chat-inputs';
import { providerKey } from '../choice/chosen-model-key';
import { configureChatModel } from '../choice/configure-chat-model';
import type { ChatModel } from '../../integrations/models/chat-protocol';
import type { Provider } from '../../integrations/providers/providers';
import { runChatModel } from '../calls/run-chat-model';
import type { ChatRunOptions } from '../calls/run-chat-model';
import { textSetting } from '../../integrations/text-setting';

type Fields = Readonly<Record<string, PythonValue>>;

/** The differences between one provider's component and another's. */
export interface CompatibleModel extends ChatRunOptions {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly provider: Provider;
  readonly temperature?: number;
  /** The model when none is selected. */
  readonly model?: string;
  /** Fields with the address, newest name first. */
  readonly baseUrlFields: readonly [string, ...string[]];
  /** Fields with the key, newest name first. */
  readonly apiKeyFields: readonly [string, ...string[]];
  /** Additional headers that the provider requires. */
  readonly headers?: (fields: Fields) => Readonly<Record<string, string>>;
  /** Called before the model is; rejects when it cannot be called. */
  readonly check?: (chat: ChatModel, context: ComponentContext) => Promise<void>;
  /** Returns the members of the body for settings that only this provider has. */
  readonly further?: (fields: Fields) => Readonly<Record<string, unknown>>;
}

/** Defines a component for one provider that uses the OpenAI protocol. */
export function defineCompatibleModel(kind: CompatibleModel): Component {
  return defineComponent({
    type: kind.type,
    ...(kind.aliases === undefined ? {} : { aliases: kind.aliases }),
    displayName: kind.displayName,
    description: kind.description,
    inputs: {
      ...chatInputs,
      model_name: text({
        displayName: 'Model Name',
        plain: true,
        required: true,
        default: kind.model ?? '',
      }),
      [kind.apiKeyFields[0]]: secret({ displayName: 'API Key' }),
      [kind.baseUrlFields[0]]: text({
        displayName: 'Base URL',
        default: kind.provider.baseUrl,
        advanced: true,
      }),
      temperature: float({ displayName: 'Temperature', slider: true, default: kind.temperature ?? 0.1 }),
      max_tokens: integer({ displayName: 'Max Tokens', advanced: true }),
      top_p: float({ displayName: 'Top P', advanced: true }),
      seed: integer({ displayName: 'Seed', advanced: true }),
      model_kwargs: dictionary({ displayName: 'Model Kwargs', advanced: true }),
      json_mode: boolean({ displayName: 'JSON Mode', advanced: true }),
      max_retries: integer({ displayName: 'Max Retries', advanced: true }),
      timeout: integer({ displayName: 'Timeout', advanced: true }),
    },
    outputs: chatOutputs,
    deterministic: false,
    reusable: true,
    keyVariable: (saved) => providerKey(kind.provider, kind.apiKeyFields, saved),
    run: async (inputs, context) => {
      const { fields } = context;
      const chat = await configureChatModel(
        kind.provider,
        {
          model: inputs.model_name,
          apiKey: textSetting(fields, kind.apiKeyFields),
          baseUrl: textSetting(fields, kind.baseUrlFields),
          temperature: inputs.temperature,
          maximumTokens: inputs.max_tokens,
          topP: inputs.top_p,
          // Some nodes contain -1 for "no limit".
          seed: inputs.seed !== null && inputs.seed < 0 ? null : inputs.seed,
          json: inputs.json_mode,
          further: { ...kind.further?.(fields), ...inputs.model_kwargs },
          maximumRetries: inputs.max_retries,
          timeoutSeconds: inputs.timeout,
          ...(kind.headers === undefined ? {} : { headers: kind.headers(fields) }),
        },
        context,
      );
      await kind.check?.(chat, context);
      return runChatModel(chat, inputs, context, kind);
    },
  });
}
