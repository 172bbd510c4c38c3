import { defineComponent, dropdown, integer, secret, text } from '@millrace/flow';
import { azureAddress } from '../integrations/azure/azure-address';
import { azureOpenAi } from '../integrations/providers/providers';
import { configureEmbeddings } from './definition/configure-embeddings';
import { embeddingOutputs } from './definition/embedding-outputs';

export default defineComponent({
  type: 'AzureOpenAIEmbeddings',
  displayName: 'Azure OpenAI Embeddings',
  description: 'Configures an OpenAI embedding model that is deployed on Azure.',
  inputs: {
    model: dropdown({
      displayName: 'Model',
      options: ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
      default: 'text-embedding-3-small',
    }),
    azure_endpoint: text({ displayName: 'Azure Endpoint', required: true }),
    azure_deployment: text({ displayName: 'Deployment Name', required: true }),
    api_version: text({ displayName: 'API Version', plain: true, advanced: true }),
    api_key: secret({ displayName: 'Azure OpenAI API Key', required: true }),
    dimensions: integer({ displayName: 'Dimensions', advanced: true }),
  },
  outputs: embeddingOutputs,
  deterministic: true,
  run: async (inputs, context) => ({
    embeddings: await configureEmbeddings(
      azureOpenAi,
      {
        model: inputs.model,
        apiKey: inputs.api_key,
        dimensions: inputs.dimensions,
        ...azureAddress(context.fields),
      },
      context,
    ),
  }),
});
