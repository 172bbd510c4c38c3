import { ComponentError } from '@millrace/flow';
import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import { configureEmbeddings } from '../../embeddings/definition/configure-embeddings';
import { findProvider, openAi, providerNames } from '../../integrations/providers/providers';

const defaultModel = 'text-embedding-3-small';

/**
 * Returns the embedding model of knowledge and memory bases, which exported flows do not name: the one that its user chose
 * for the base, else the model of the variable KNOWLEDGE_EMBEDDING_MODEL, at OpenAI or at the address of OpenAI's variables.
 */
export async function knowledgeEmbedding(
  apiKey: string,
  context: ComponentContext,
  collection: string | null = null,
): Promise<EmbeddingsHandle> {
  const chosen = collection === null ? null : await context.resources.vectors.model(collection);
  if (chosen !== null) {
    const provider = findProvider(chosen.provider);
    if (provider === undefined)
      throw new ComponentError(
        `The provider "${chosen.provider}" of the knowledge base is not one of: ${providerNames.join(', ')}.`,
      );
    return configureEmbeddings(provider, { model: chosen.model, apiKey, baseUrl: '' }, context);
  }
  const model = (await context.variable('KNOWLEDGE_EMBEDDING_MODEL')) || defaultModel;
  return configureEmbeddings(openAi, { model, apiKey, baseUrl: '' }, context);
}
