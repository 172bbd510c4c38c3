import type { EmbeddingsHandle } from '@millrace/flow';
import { ApiKey } from '../language-models/api-key';
import type { ModelEndpoint } from '../language-models/model-endpoint';
import type { EmbeddingProtocol } from './embedding-protocol';

/** The settings of an embedding model: everything a call needs except the texts. */
export interface EmbeddingSettings extends ModelEndpoint {
  readonly model: string;
  /** The number of dimensions of a vector; null uses the model's default. */
  readonly dimensions: number | null;
  /** The number of texts in one call. */
  readonly batchSize: number;
  readonly protocol: EmbeddingProtocol;
  /** Members of every request body that name the account to charge. */
  readonly scope: Readonly<Record<string, string>>;
}

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
