import { defineComponent, secret, text } from '@millrace/flow';
import type { Component } from '@millrace/flow';
import type { Provider } from '../../integrations/providers/providers';
import { textSetting } from '../../integrations/text-setting';
import { configureEmbeddings } from './configure-embeddings';
import { embeddingOutputs } from './embedding-outputs';
import type { EmbeddingProtocol } from '../../integrations/models/embedding-protocol';

/** The differences between the components of providers. */
export interface ProviderEmbeddings {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly provider: Provider;
  /** The default model. */
  readonly model: string;
  /** Fields that name the model, newest first. */
  readonly modelFields: readonly [string, ...string[]];
  readonly baseUrlField: string;
  readonly apiKeyField: string;
  /** The fields for the key in older nodes. */
  readonly olderApiKeyFields?: readonly string[];
  /** The provider's default protocol unless given. */
  readonly protocol?: EmbeddingProtocol;
}

/** Defines a component for the embedding models of one provider with an OpenAI-compatible API. */
export function defineEmbeddings(kind: ProviderEmbeddings): Component {
  const [modelField] = kind.modelFields;
  return defineComponent({
    type: kind.type,
    ...(kind.aliases === undefined ? {} : { aliases: kind.aliases }),
    displayName: kind.displayName,
    description: kind.description,
    inputs: {
      [modelField]: text({ displayName: 'Model', plain: true, required: true, default: kind.model }),
      [kind.baseUrlField]: text({ displayName: 'Base URL', default: kind.provider.baseUrl }),
      [kind.apiKeyField]: secret({ displayName: 'API Key' }),
    },
    outputs: embeddingOutputs,
    deterministic: true,
    run: async (_, context) => ({
      embeddings: await configureEmbeddings(
        kind.provider,
        {
          model: textSetting(context.fields, kind.modelFields) || kind.model,
          baseUrl: textSetting(context.fields, [kind.baseUrlField]),
          apiKey: textSetting(context.fields, [kind.apiKeyField, ...(kind.olderApiKeyFields ?? [])]),
          ...(kind.protocol === undefined ? {} : { protocol: kind.protocol }),
        },
        context,
      ),
    }),
  });
}
