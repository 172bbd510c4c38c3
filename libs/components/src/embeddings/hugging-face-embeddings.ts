import { defineComponent, secret, text } from '@millrace/flow';
import { huggingFace } from '../integrations/providers/providers';
import type { Provider } from '../integrations/providers/providers';
import { textSetting } from '../integrations/text-setting';
import { configureEmbeddings } from './definition/configure-embeddings';
import { embeddingOutputs } from './definition/embedding-outputs';
import { huggingFaceEmbedding } from '../integrations/hugging-face/hugging-face-embedding';

const router = 'https://router.huggingface.co/hf-inference/models/';
/** Older nodes contain an address that has been shut down; the router replaces it. */
const hosted = /^(?:https:\/\/(?:api-inference|router)\.huggingface\.co\/.*)?$/;
const hostedProvider: Provider = { ...huggingFace, path: '' };
/** A self-hosted server may require no key. */
const selfHostedProvider: Provider = { ...hostedProvider, apiKeyVariable: null };

export default defineComponent({
  type: 'HuggingFaceInferenceAPIEmbeddings',
  aliases: ['HuggingFaceInferenceAPIEmbeddingsComponent'],
  displayName: 'Hugging Face Embeddings Inference',
  description: 'Configures an embedding model of Hugging Face or of your own inference server.',
  inputs: {
    api_key: secret({ displayName: 'Hugging Face API Key', advanced: true }),
    inference_endpoint: text({ displayName: 'Inference Endpoint', required: true, default: router }),
    model_name: text({ displayName: 'Model Name', required: true, default: 'BAAI/bge-large-en-v1.5' }),
  },
  outputs: embeddingOutputs,
  deterministic: true,
  run: async (inputs, context) => {
    // In the oldest nodes the field is `api_url`.
    const endpoint = textSetting(context.fields, ['api_url']) || inputs.inference_endpoint.trim();
    const isHosted = hosted.test(endpoint);
    return {
      embeddings: await configureEmbeddings(
        isHosted ? hostedProvider : selfHostedProvider,
        {
          model: inputs.model_name,
          apiKey: inputs.api_key,
          baseUrl: isHosted ? `${router}${inputs.model_name}/pipeline/feature-extraction` : endpoint,
          protocol: huggingFaceEmbedding,
        },
        context,
      ),
    };
  },
});
