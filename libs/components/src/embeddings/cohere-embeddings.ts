import { defineComponent, dropdown, float, integer, secret, text } from '@millrace/flow';
import { cohere } from '../integrations/providers/providers';
import type { Provider } from '../integrations/providers/providers';
import { textSetting } from '../integrations/text-setting';
import { configureEmbeddings } from './definition/configure-embeddings';
import { embeddingOutputs } from './definition/embedding-outputs';
import { cohereEmbedding } from '../integrations/cohere/cohere-embedding';

/** Cohere's native API: its OpenAI-compatible one does not distinguish queries from documents. */
const nativeCohere: Provider = { ...cohere, baseUrl: 'https://api.cohere.com/v2', path: '/v2' };

export default defineComponent({
  type: 'CohereEmbeddings',
  displayName: 'Cohere Embeddings',
  description: 'Configures an embedding model of Cohere.',
  inputs: {
    api_key: secret({ displayName: 'Cohere API Key', required: true }),
    model_name: dropdown({
      displayName: 'Model',
      options: [
        'embed-english-v3.0',
        'embed-multilingual-v3.0',
        'embed-english-light-v3.0',
        'embed-multilingual-light-v3.0',
        'embed-v4.0',
      ],
      default: 'embed-english-v3.0',
    }),
    truncate: text({ displayName: 'Truncate', advanced: true }),
    max_retries: integer({ displayName: 'Max Retries', default: 3, advanced: true }),
    request_timeout: float({ displayName: 'Request Timeout', advanced: true }),
  },
  outputs: embeddingOutputs,
  deterministic: true,
  run: async (inputs, context) => ({
    embeddings: await configureEmbeddings(
      nativeCohere,
      {
        // Older nodes call these fields `model` and `cohere_api_key`.
        model: textSetting(context.fields, ['model_name', 'model']) || inputs.model_name,
        apiKey: inputs.api_key || textSetting(context.fields, ['cohere_api_key']),
        baseUrl: '',
        maximumRetries: inputs.max_retries,
        timeoutSeconds: inputs.request_timeout,
        protocol: cohereEmbedding(inputs.truncate.trim().toUpperCase()),
      },
      context,
    ),
  }),
});
