import { defineComponent, secret, text } from '@millrace/flow';
import { google } from '../integrations/providers/providers';
import { configureEmbeddings } from './definition/configure-embeddings';
import { embeddingOutputs } from './definition/embedding-outputs';

/** The same number as in Langflow, so that a store filled by Langflow can be searched. */
const dimensions = 768;

export default defineComponent({
  type: 'GoogleGenerativeAIEmbeddings',
  aliases: ['Google Generative AI Embeddings', 'GoogleGenerativeAIEmbeddingsComponent'],
  displayName: 'Google Generative AI Embeddings',
  description: 'Configures an embedding model of Google.',
  inputs: {
    api_key: secret({ displayName: 'Google Generative AI API Key', required: true }),
    model_name: text({ displayName: 'Model Name', default: 'models/text-embedding-004' }),
  },
  outputs: embeddingOutputs,
  deterministic: true,
  run: async (inputs, context) => ({
    embeddings: await configureEmbeddings(
      google,
      { model: inputs.model_name, apiKey: inputs.api_key, baseUrl: '', dimensions },
      context,
    ),
  }),
});
