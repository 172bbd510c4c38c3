import { ComponentError, isDict, isEmbeddingsHandle } from '@millrace/flow';
import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { configureEmbeddings } from '../../embeddings/definition/configure-embeddings';
import { textMember } from '../../integrations/http/json-members';
import { findProvider } from '../../integrations/providers/providers';

/**
 * Returns the embedding model of a vector store: a connected one, or one selected by provider and name. Null when there
 * is none. Throws for a provider whose models cannot be selected here.
 */
export async function chosenEmbedding(
  value: PythonValue,
  apiKey: string,
  context: ComponentContext,
): Promise<EmbeddingsHandle | null> {
  const choice: PythonValue = Array.isArray(value) ? ((value as readonly PythonValue[])[0] ?? null) : value;
  if (isEmbeddingsHandle(choice)) return choice;
  const model = textMember(choice, 'name');
  if (!isDict(choice) || model === '') return null;
  const name = textMember(choice, 'provider') || 'OpenAI';
  const provider = findProvider(name);
  if (provider === undefined) {
    throw new ComponentError(
      `The embedding model "${model}" of ${name} cannot be selected here; connect an embedding component instead.`,
    );
  }
  return configureEmbeddings(provider, { model, apiKey, baseUrl: '' }, context);
}
