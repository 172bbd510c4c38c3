import { ComponentError, observeStep } from '@millrace/flow';
import type {
  ComponentContext,
  EmbeddingsHandle,
  ObservedModelAnswer,
  ObservedModelCall,
} from '@millrace/flow';
import type {
  EmbeddingPurpose,
  EmbeddingSettings,
  Vector,
} from '../../integrations/models/embedding-protocol';
import { embeddingSettingsOf } from './embedding-settings';

/** Returns the vectors of texts, in order. Throws a ComponentError with the provider's error text. */
export async function embedTexts(
  handle: EmbeddingsHandle,
  texts: readonly string[],
  context: ComponentContext,
  purpose: EmbeddingPurpose = 'document',
): Promise<readonly Vector[]> {
  const embedding = embeddingSettingsOf(handle);
  if (embedding === null) {
    throw new ComponentError(`The connected embedding model "${handle.model}" is not supported.`);
  }
  const { batchSize, protocol, provider } = embedding;
  const vectors: Vector[] = [];
  for (let start = 0; start < texts.length; start += batchSize) {
    const batch = texts.slice(start, start + batchSize);
    const answer = await observeStep(
      context.observation?.modelCall(observedCall(embedding)),
      () => protocol.embed(embedding, batch, purpose, context),
      () => observedVectors,
    );
    if (answer.length !== batch.length) {
      throw new ComponentError(`${provider} returned ${answer.length} vectors for ${batch.length} texts.`);
    }
    vectors.push(...answer);
  }
  return vectors;
}

/** An embedding protocol returns vectors only. */
const observedVectors: ObservedModelAnswer = {
  model: null,
  finishReason: null,
  usage: null,
  text: '',
  toolCalls: [],
};

function observedCall({ provider, model, baseUrl, dimensions }: EmbeddingSettings): ObservedModelCall {
  const parameters = dimensions === null ? {} : { dimensions };
  return {
    operation: 'embeddings',
    provider,
    model,
    address: baseUrl,
    streams: false,
    parameters,
    messages: [],
  };
}
