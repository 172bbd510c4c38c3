import { Data } from '@millrace/flow';
import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import { embedTexts } from '../embeddings/embed-texts';
import type { Vector } from '../embeddings/embed-texts';
import { inSlices } from '../text/in-slices';
import type { Sliceable } from '../text/in-slices';
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

/** However many a node asks for. */
const mostResults = 1000;
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
  const most = Math.min(limit, mostResults);
  const varied = type === 'mmr';
  const found = await store.search({
    text: query,
    vector,
    limit: varied ? Math.max(most, candidatesForVariety) : most,
    withVectors: varied,
  });
  const chosen = varied
    ? await inSlices(variety(found, vector, most), context.signal)
    : type === 'threshold'
      ? found.filter(({ similarity }) => (similarity ?? 1) >= threshold)
      : found;
  return chosen.map(({ text, metadata }) => new Data({ ...metadata, text }));
}

function* variety(
  found: readonly FoundText[],
  wanted: Vector | null,
  count: number,
): Sliceable<readonly FoundText[]> {
  const vectors = found.map((one) => one.vector ?? []);
  const nearness = found.map(({ similarity }, index) =>
    wanted === null ? 2 * (similarity ?? 1) - 1 : cosineSimilarity(wanted, vectors[index] ?? []),
  );
  const order = yield* maximalMarginalRelevance(nearness, vectors, count);
  return order.flatMap((index) => found[index] ?? []);
}
