import { Data } from '@millrace/flow';
import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import { embedTexts } from '../embeddings/embed-texts';
import { cosineSimilarity, maximalMarginalRelevance } from './maximal-marginal-relevance';
import { requireEmbedding } from './require-embedding';
import type { SearchType } from './search-type';
import type { FoundText, VectorStore } from './vector-store';

export interface StoreQuestion {
  /** Not blank. */
  readonly query: string;
  readonly limit: number;
  readonly type: SearchType;
  /** The least similarity that counts, where the type asks for one. */
  readonly threshold: number;
}

/** How many of the nearest a search for different ones chooses among. */
const candidatesForVariety = 20;

/** What is near a query, nearest first (or by variety), as data: the metadata, and the text under `text`. */
export async function searchStore(
  store: VectorStore,
  embedding: EmbeddingsHandle | null,
  question: StoreQuestion,
  context: ComponentContext,
): Promise<readonly Data[]> {
  const { query, limit, type, threshold } = question;
  if (limit <= 0) return [];
  const [vector = null] = store.embedsItself
    ? []
    : await embedTexts(requireEmbedding(embedding), [query], context, 'query');
  const varied = type === 'mmr';
  const found = await store.search({
    text: query,
    vector,
    limit: varied ? Math.max(limit, candidatesForVariety) : limit,
    withVectors: varied,
  });
  return chosen(found).map(({ text, metadata }) => new Data({ ...metadata, text }));

  function chosen(all: readonly FoundText[]): readonly FoundText[] {
    if (type === 'threshold') return all.filter(({ similarity }) => (similarity ?? 1) >= threshold);
    if (!varied) return all;
    const vectors = all.map((one) => one.vector ?? []);
    const nearness = all.map(({ similarity }, index) =>
      vector === null ? 2 * (similarity ?? 1) - 1 : cosineSimilarity(vector, vectors[index] ?? []),
    );
    const order = maximalMarginalRelevance(nearness, vectors, limit);
    return order.flatMap((index) => all[index] ?? []);
  }
}
