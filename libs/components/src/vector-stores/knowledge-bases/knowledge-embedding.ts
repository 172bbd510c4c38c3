import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import { configureEmbeddings } from '../../embeddings/definition/configure-embeddings';
import { openAi } from '../../integrations/providers/providers';

const defaultModel = 'text-embedding-3-small';

/**
 * Returns the embedding model of knowledge and memory bases, which exported flows do not name: the model of the
 * variable KNOWLEDGE_EMBEDDING_MODEL, at OpenAI or at the address of OpenAI's variables.
 */
export async function knowledgeEmbedding(
  apiKey: string,
  context: ComponentContext,
): Promise<EmbeddingsHandle> {
  const model = (await context.variable('KNOWLEDGE_EMBEDDING_MODEL')) || defaultModel;
  return configureEmbeddings(openAi, { model, apiKey, baseUrl: '' }, context);
}
