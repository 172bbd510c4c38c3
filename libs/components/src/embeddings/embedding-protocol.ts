import type { ComponentContext } from '@millrace/flow';
import type { EmbeddingSettings } from './embedding-settings';

export type Vector = readonly number[];

/** What a text is embedded for: to be found, or to find others. Some models tell the two apart. */
export type EmbeddingPurpose = 'document' | 'query';

/** How one kind of provider is asked for vectors. */
export interface EmbeddingProtocol {
  /** How many texts fit into one call. */
  readonly mostTexts: number;
  /** The vectors of some texts, in their order. Throws a ComponentError with what the provider said. */
  embed(
    settings: EmbeddingSettings,
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    context: ComponentContext,
  ): Promise<readonly Vector[]>;
}
