import type { ComponentContext } from '@millrace/flow';
import type { ModelEndpoint } from './model-endpoint';

export type Vector = readonly number[];

/** The purpose of a vector: a document to be found, or a query to find documents. Some models distinguish the two. */
export type EmbeddingPurpose = 'document' | 'query';

/** The embedding API of a kind of provider. */
export interface EmbeddingProtocol {
  /** The maximum number of texts in one call. */
  readonly maximumTexts: number;
  /** Returns the vectors of texts, in order. Throws a ComponentError with the provider's error text. */
  embed(
    settings: EmbeddingSettings,
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    context: ComponentContext,
  ): Promise<readonly Vector[]>;
}

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
