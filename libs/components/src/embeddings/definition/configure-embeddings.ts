import { ComponentError } from '@millrace/flow';
import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import { modelEndpoint } from '../../integrations/providers/resolve-model-endpoint';
import type { EndpointSettings } from '../../integrations/providers/resolve-model-endpoint';
import { google, watsonx } from '../../integrations/providers/providers';
import type { Provider } from '../../integrations/providers/providers';
import type { EmbeddingProtocol } from '../../integrations/models/embedding-protocol';
import { embeddingsHandle } from '../calls/embedding-settings';
import { googleEmbedding } from '../../integrations/google/google-embedding';
import { openAiEmbedding } from '../../integrations/openai/openai-embedding';
import { watsonxEmbedding } from '../../integrations/watsonx/watsonx-embedding';

export interface EmbeddingOptions extends EndpointSettings {
  readonly model: string;
  readonly dimensions?: number | null;
  readonly batchSize?: number | null;
  /** The provider's default protocol unless given. */
  readonly protocol?: EmbeddingProtocol;
}

/** Returns the embedding model for a component's settings, without calling it. */
export async function configureEmbeddings(
  provider: Provider,
  settings: EmbeddingOptions,
  context: ComponentContext,
): Promise<EmbeddingsHandle> {
  if (settings.model === '') throw new ComponentError('An embedding model selection is required');
  const { dimensions = null, batchSize = null, protocol = embeddingProtocolOf(provider) } = settings;
  const { maximumTexts } = protocol;
  return embeddingsHandle({
    ...(await modelEndpoint(provider, settings, context)),
    model: settings.model,
    protocol,
    scope: (await provider.scope?.(context)) ?? {},
    dimensions: dimensions !== null && dimensions > 0 ? dimensions : null,
    batchSize: batchSize !== null && batchSize > 0 ? Math.min(batchSize, maximumTexts) : maximumTexts,
  });
}

/** Returns the embedding API of a provider; most providers are OpenAI-compatible. */
function embeddingProtocolOf(provider: Provider): EmbeddingProtocol {
  if (provider === google) return googleEmbedding;
  if (provider === watsonx) return watsonxEmbedding();
  return openAiEmbedding();
}
