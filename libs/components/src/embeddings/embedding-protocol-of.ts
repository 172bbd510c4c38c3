import { google, watsonx } from '../language-models/providers';
import type { Provider } from '../language-models/providers';
import type { EmbeddingProtocol } from './embedding-protocol';
import { googleEmbedding } from './protocols/google-embedding';
import { openAiEmbedding } from './protocols/open-ai-embedding';
import { watsonxEmbedding } from './protocols/watsonx-embedding';

/** Returns the embedding API of a provider; most providers are OpenAI-compatible. */
export function embeddingProtocolOf(provider: Provider): EmbeddingProtocol {
  if (provider === google) return googleEmbedding;
  if (provider === watsonx) return watsonxEmbedding();
  return openAiEmbedding();
}
