import { aiml } from '../integrations/providers/providers';
import { defineEmbeddings } from './definition/define-embeddings';

export default defineEmbeddings({
  type: 'AIMLEmbeddings',
  aliases: ['AIMLAPIEmbeddings', 'AIMLEmbeddingsComponent'],
  displayName: 'AI/ML API Embeddings',
  description: 'Configures an embedding model of AI/ML API.',
  provider: aiml,
  model: 'text-embedding-3-small',
  modelFields: ['model_name', 'model'],
  baseUrlField: 'aimlapi_base',
  apiKeyField: 'aiml_api_key',
  olderApiKeyFields: ['aimlapi_api_key'],
});
