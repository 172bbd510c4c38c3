import { google, watsonx } from '../../integrations/models/providers';
import type { Provider } from '../../integrations/models/providers';
import type { EmbeddingProtocol } from '../../integrations/models/embedding-protocol';
import { googleEmbedding } from '../../integrations/google/google-embedding';
import { openAiEmbedding } from '../../integrations/openai/openai-embedding';
import { watsonxEmbedding } from '../../integrations/watsonx/watsonx-embedding';

/** Returns the embedding API of a provider; most providers are OpenAI-compatible. */
export function embeddingProtocolOf(provider: Provider): EmbeddingProtocol {
  if (provider === google) return googleEmbedding;
  if (provider === watsonx) return watsonxEmbedding();
  return openAiEmbedding();
}
