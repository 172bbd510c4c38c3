import { nvidia } from '../integrations/providers/providers';
import { defineEmbeddings } from './definition/define-embeddings';
import { openAiEmbedding } from '../integrations/openai/openai-embedding';

export default defineEmbeddings({
  type: 'NVIDIAEmbeddingsComponent',
  displayName: 'NVIDIA Embeddings',
  description: 'Configures an embedding model of NVIDIA.',
  provider: nvidia,
  model: 'nvidia/nv-embed-v1',
  modelFields: ['model'],
  baseUrlField: 'base_url',
  apiKeyField: 'nvidia_api_key',
  protocol: openAiEmbedding({ document: 'passage', query: 'query' }, 50),
});
