import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import { configureEmbeddings } from '../embeddings/configure-embeddings';
import { openAi } from '../language-models/providers';

const usualModel = 'text-embedding-3-small';

/**
 * The embedding model of knowledge and memory bases, which no exported flow names: the variable
 * KNOWLEDGE_EMBEDDING_MODEL, at OpenAI or wherever its variables lead.
 */
export async function knowledgeEmbedding(
  apiKey: string,
  context: ComponentContext,
): Promise<EmbeddingsHandle> {
  const model = (await context.variable('KNOWLEDGE_EMBEDDING_MODEL')) || usualModel;
  return configureEmbeddings(openAi, { model, apiKey, baseUrl: '' }, context);
}
