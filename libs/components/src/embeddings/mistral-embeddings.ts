import { mistral } from '../integrations/providers/providers';
import { defineEmbeddings } from './definition/define-embeddings';

export default defineEmbeddings({
  type: 'MistalAIEmbeddings',
  aliases: ['MistralAIEmbeddings', 'MistralAIEmbeddingsComponent'],
  displayName: 'MistralAI Embeddings',
  description: 'Configures an embedding model of MistralAI.',
  provider: mistral,
  model: 'mistral-embed',
  modelFields: ['model'],
  baseUrlField: 'endpoint',
  apiKeyField: 'mistral_api_key',
});
