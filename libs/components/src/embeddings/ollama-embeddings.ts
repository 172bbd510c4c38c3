import { ollama } from '../integrations/providers/providers';
import { defineEmbeddings } from './definition/define-embeddings';

export default defineEmbeddings({
  type: 'OllamaEmbeddings',
  displayName: 'Ollama Embeddings',
  description: 'Configures an embedding model of Ollama.',
  provider: ollama,
  model: 'nomic-embed-text',
  modelFields: ['model_name', 'model'],
  baseUrlField: 'base_url',
  apiKeyField: 'api_key',
});
