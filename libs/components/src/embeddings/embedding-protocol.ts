import type { ComponentContext } from '@millrace/flow';
import type { EmbeddingSettings } from './embedding-settings';

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
