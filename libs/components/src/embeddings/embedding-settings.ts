import type { EmbeddingsHandle } from '@millrace/flow';
import { ApiKey } from '../language-models/api-key';
import type { ModelEndpoint } from '../language-models/model-endpoint';
import type { EmbeddingProtocol } from './embedding-protocol';

/** Everything a call of an embedding model needs besides the texts. */
export interface EmbeddingSettings extends ModelEndpoint {
  readonly model: string;
  /** How many numbers a vector has; null leaves it to the model. */
  readonly dimensions: number | null;
  /** How many texts go into one call. */
  readonly batchSize: number;
  readonly protocol: EmbeddingProtocol;
  /** Members of every body that say on whose account a call goes. */
  readonly scope: Readonly<Record<string, string>>;
}

/** The model as a value for a wire: vector stores call it. */
export function embeddingsHandle(embedding: EmbeddingSettings): EmbeddingsHandle {
  const { provider, model } = embedding;
  return { kind: 'embeddings', provider, model, settings: { embedding } };
}

/** The model behind a handle; null when another family of models made the handle. */
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
