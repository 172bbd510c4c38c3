import { ComponentError, defineComponent, dropdown } from '@millrace/flow';
import { awsAccess } from '../integrations/aws/aws-access';
import { awsInputs } from '../integrations/aws/aws-inputs';
import { bedrock, bedrockEndpoint } from '../integrations/bedrock/bedrock-call';
import { bedrockEmbedding } from '../integrations/bedrock/bedrock-embedding';
import { embeddingsHandle } from './calls/embedding-settings';
import { embeddingOutputs } from './definition/embedding-outputs';

export default defineComponent({
  type: 'AmazonBedrockEmbeddings',
  aliases: ['AmazonBedrockEmbeddingsComponent'],
  displayName: 'Amazon Bedrock Embeddings',
  description: 'Configures an embedding model of Amazon Bedrock.',
  inputs: {
    model_id: dropdown({
      displayName: 'Model Id',
      options: [
        'amazon.titan-embed-text-v1',
        'amazon.titan-embed-text-v2:0',
        'cohere.embed-english-v3',
        'cohere.embed-multilingual-v3',
      ],
      default: 'amazon.titan-embed-text-v1',
    }),
    ...awsInputs,
  },
  outputs: embeddingOutputs,
  deterministic: true,
  run: (inputs) => {
    const { model_id: model } = inputs;
    if (model === '') throw new ComponentError('An embedding model selection is required');
    const access = awsAccess(inputs, bedrock, 'bedrock-runtime');
    const protocol = bedrockEmbedding(access, model);
    return {
      embeddings: embeddingsHandle({
        ...bedrockEndpoint(access),
        model,
        protocol,
        scope: {},
        dimensions: null,
        batchSize: protocol.maximumTexts,
      }),
    };
  },
});
