import { google, watsonx } from '../language-models/providers';
import type { Provider } from '../language-models/providers';
import type { EmbeddingProtocol } from './embedding-protocol';
import { googleEmbedding } from './protocols/google-embedding';
import { openAiEmbedding } from './protocols/open-ai-embedding';
import { watsonxEmbedding } from './protocols/watsonx-embedding';

/** How a provider is asked for vectors; all but a few speak OpenAI's protocol. */
export function embeddingProtocolOf(provider: Provider): EmbeddingProtocol {
  if (provider === google) return googleEmbedding;
  if (provider === watsonx) return watsonxEmbedding();
  return openAiEmbedding();
}
