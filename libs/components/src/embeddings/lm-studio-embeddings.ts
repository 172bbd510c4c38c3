import { lmStudio } from '../integrations/providers/providers';
import { defineEmbeddings } from './definition/define-embeddings';

export default defineEmbeddings({
  type: 'LMStudioEmbeddingsComponent',
  displayName: 'LM Studio Embeddings',
  description: 'Configures an embedding model of LM Studio.',
  provider: lmStudio,
  model: '',
  modelFields: ['model'],
  baseUrlField: 'base_url',
  apiKeyField: 'api_key',
});
