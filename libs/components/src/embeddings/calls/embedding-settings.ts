import type { EmbeddingSettings } from '../../integrations/models/embedding-protocol';
import type { EmbeddingsHandle } from '@millrace/flow';
import { ApiKey } from '../../integrations/models/api-key';

/** Returns the model as a value for an edge; vector stores call it. */
export function embeddingsHandle(embedding: EmbeddingSettings): EmbeddingsHandle {
  const { provider, model } = embedding;
  return { kind: 'embeddings', provider, model, settings: { embedding } };
}

/** Returns the settings in a handle; null when the handle was not created by this module. */
export function embeddingSettingsOf(handle: EmbeddingsHandle): EmbeddingSettings | null {
  const { embedding } = handle.settings;
  return isEmbeddingSettings(embedding) ? embedding : null;
}

function isEmbeddingSettings(value: unknown): value is EmbeddingSettings {
  return (
    typeof value === 'object' &&
    value !== null &&
    'batchSize' in value &&
    'apiKey' in value &&
    value.apiKey instanceof ApiKey
  );
}
