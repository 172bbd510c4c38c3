import { defineComponent, dropdown, integer, secret, text } from '@millrace/flow';
import { watsonx } from '../integrations/providers/providers';
import { textSetting } from '../integrations/text-setting';
import { watsonxRegions } from '../integrations/watsonx/watsonx-regions';
import { configureEmbeddings } from './definition/configure-embeddings';
import { embeddingOutputs } from './definition/embedding-outputs';
import { watsonxEmbedding } from '../integrations/watsonx/watsonx-embedding';

export default defineComponent({
  type: 'WatsonxEmbeddingsComponent',
  displayName: 'IBM watsonx.ai Embeddings',
  description: 'Configures an embedding model of IBM watsonx.ai.',
  inputs: {
    url: dropdown({ displayName: 'watsonx API Endpoint', options: watsonxRegions }),
    project_id: text({ displayName: 'watsonx Project ID', plain: true }),
    space_id: text({ displayName: 'watsonx Space ID', plain: true }),
    api_key: secret({ displayName: 'watsonx API Key', required: true }),
    model_name: dropdown({
      displayName: 'Model Name',
      required: true,
      options: ['ibm/slate-125m-english-rtrvr-v2', 'ibm/granite-embedding-278m-multilingual'],
    }),
    truncate_input_tokens: integer({ displayName: 'Truncate Input Tokens', default: 200, advanced: true }),
  },
  outputs: embeddingOutputs,
  deterministic: true,
  run: async (inputs, context) => ({
    embeddings: await configureEmbeddings(
      watsonx,
      {
        model: inputs.model_name,
        apiKey: inputs.api_key,
        baseUrl: textSetting(context.fields, ['url', 'base_url']),
        protocol: watsonxEmbedding({ truncate_input_tokens: inputs.truncate_input_tokens }),
      },
      context,
    ),
  }),
});
