import {
  ComponentError,
  defineComponent,
  float,
  integer,
  isEmbeddingsHandle,
  model,
  secret,
  text,
} from '@millrace/flow';
import type { EmbeddingsHandle, Input, ModelChoice, ModelHandle } from '@millrace/flow';
import { chosenModelKey } from '../language-models/choice/chosen-model-key';
import { baseUrlFieldsOf, findProvider, providerNames } from '../integrations/providers/providers';
import { textSetting } from '../integrations/text-setting';
import { configureEmbeddings } from './definition/configure-embeddings';
import { embeddingOutputs } from './definition/embedding-outputs';

const modelInput = model({ displayName: 'Embedding Model', required: true, inputTypes: ['Embeddings'] });

/** A selection of provider and name, or the configured embedding model of an edge. */
const embeddingModelInput: Input<EmbeddingsHandle | ModelHandle | ModelChoice | null> = {
  ...modelInput,
  convert: (value, inputName) => (isEmbeddingsHandle(value) ? value : modelInput.convert(value, inputName)),
};

export default defineComponent({
  type: 'EmbeddingModel',
  displayName: 'Embedding Model',
  description: 'Configures an embedding model of one of many providers.',
  inputs: {
    model: embeddingModelInput,
    model_name: text({ displayName: 'Model Name', plain: true, advanced: true }),
    provider: text({ displayName: 'Provider', plain: true, advanced: true }),
    api_key: secret({ displayName: 'API Key', advanced: true }),
    api_base: text({ displayName: 'API Base URL', advanced: true }),
    ollama_base_url: text({ displayName: 'Ollama API URL', advanced: true }),
    dimensions: integer({ displayName: 'Dimensions', advanced: true }),
    chunk_size: integer({ displayName: 'Chunk Size', default: 1000, advanced: true }),
    request_timeout: float({ displayName: 'Request Timeout', advanced: true }),
    max_retries: integer({ displayName: 'Max Retries', default: 3, advanced: true }),
  },
  outputs: embeddingOutputs,
  deterministic: true,
  keyVariable: chosenModelKey,
  run: async (inputs, context) => {
    const { model: choice } = inputs;
    if (isEmbeddingsHandle(choice)) return { embeddings: choice };
    const chosen = choice !== null && 'name' in choice ? choice : null;
    const name = inputs.provider || (chosen?.provider ?? 'OpenAI');
    const provider = findProvider(name);
    if (provider === undefined) {
      throw new ComponentError(
        `The provider "${name}" of "${context.vertex.displayName}" is not one of: ${providerNames.join(', ')}.`,
      );
    }
    return {
      embeddings: await configureEmbeddings(
        provider,
        {
          model: inputs.model_name || (chosen?.name ?? ''),
          apiKey: inputs.api_key,
          baseUrl: textSetting(context.fields, [...baseUrlFieldsOf(provider), 'api_base']),
          dimensions: inputs.dimensions,
          batchSize: inputs.chunk_size,
          maximumRetries: inputs.max_retries,
          timeoutSeconds: inputs.request_timeout,
        },
        context,
      ),
    };
  },
});
