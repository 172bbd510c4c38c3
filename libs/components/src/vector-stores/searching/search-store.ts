import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { embedTexts } from '../../embeddings/calls/embed-texts';
import type { Vector } from '../../integrations/models/embedding-protocol';
import { runInSlices } from '../../parsing/run-in-slices';
import type { InterruptibleWork } from '../../parsing/run-in-slices';
import {
  cosineSimilarity,
  maximalMarginalRelevance,
} from '../../integrations/vector-stores/maximal-marginal-relevance';
import { observeRetrieval } from '../../integrations/vector-stores/observe-retrieval';
import { requireEmbedding } from './require-embedding';
import type { SearchType } from './search-type';
import type { FoundText, VectorStore } from '../../integrations/vector-stores/vector-store';

export interface StoreQuery {
  /** Not blank. */
  readonly query: string;
  readonly limit: number;
  readonly type: SearchType;
  /** The minimum similarity, when the search type has a threshold. */
  readonly threshold: number;
}

/** The limit, whatever number a node requests. */
const maximumResults = 1000;
/** How many of the nearest results a search with variety selects from. */
const diversityCandidates = 20;

/** Returns the texts near a query, nearest first (or by variety), as data: the metadata, and the text under `text`. */
export async function searchStore(
  store: VectorStore,
  embedding: EmbeddingsHandle | null,
  storeQuery: StoreQuery,
  context: ComponentContext,
): Promise<readonly Data[]> {
  if (storeQuery.limit <= 0) return [];
  return observeRetrieval(storeQuery, context, () => search(store, embedding, storeQuery, context));
}

async function search(
  store: VectorStore,
  embedding: EmbeddingsHandle | null,
  { query, limit, type, threshold }: StoreQuery,
  context: ComponentContext,
): Promise<readonly Data[]> {
  const [vector = null] = store.makesVectors
    ? []
    : await embedTexts(requireEmbedding(embedding), [query], context, 'query');
  const resultCount = Math.min(limit, maximumResults);
  const isDiverse = type === 'mmr';
  const found = await store.search({
    text: query,
    vector,
    limit: isDiverse ? Math.max(resultCount, diversityCandidates) : resultCount,
    withVectors: isDiverse,
  });
  const chosen = isDiverse
    ? await runInSlices(selectDiverse(found, vector, resultCount), context.signal)
    : type === 'threshold'
      ? found.filter(({ similarity }) => (similarity ?? 1) >= threshold)
      : found;
  return chosen.map(({ text, metadata }) => new Data({ ...metadata, text }));
}

function* selectDiverse(
  found: readonly FoundText[],
  queryVector: Vector | null,
  count: number,
): InterruptibleWork<readonly FoundText[]> {
  const vectors = found.map((one) => one.vector ?? []);
  const relevance = found.map(({ similarity }, index) =>
    queryVector === null ? 2 * (similarity ?? 1) - 1 : cosineSimilarity(queryVector, vectors[index] ?? []),
  );
  const order = yield* maximalMarginalRelevance(relevance, vectors, count);
  return order.flatMap((index) => found[index] ?? []);
}
