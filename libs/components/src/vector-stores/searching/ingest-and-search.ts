import type { ComponentContext, ComponentOutputs, EmbeddingsHandle, RetrieverHandle } from '@millrace/flow';
import { DataFrame } from '@millrace/python-text';
import type { Data, PythonValue } from '@millrace/python-text';
import { embedTexts } from '../../embeddings/calls/embed-texts';
import { textSetting } from '../../integrations/text-setting';
import { ingestedTexts } from '../ingestion/ingested-texts';
import { requireEmbedding } from './require-embedding';
import { searchStore } from './search-store';
import { searchTypeOf } from './search-type';
import type { NewText, VectorStore } from '../../integrations/vector-stores/vector-store';

export interface StoreTask {
  readonly store: VectorStore;
  readonly embedding: EmbeddingsHandle | null;
  /** The connected values to store. */
  readonly ingest: readonly PythonValue[];
  /** Blank: no search. */
  readonly query: string;
  readonly results: number;
  /** Returns the results of a blank query; none unless given. */
  browse?(): Promise<readonly Data[]>;
}

/** Stores the new texts, then searches once for all outputs with results. */
export async function ingestAndSearch(work: StoreTask, context: ComponentContext): Promise<ComponentOutputs> {
  await ingest(work, context);
  const wantsResults = context.wants('search_results') || context.wants('dataframe');
  const results = wantsResults ? await search(work, work.query || legacyQuery(context), context) : [];
  if (wantsResults) context.status(results);
  const handle = retriever(work, context);
  return {
    search_results: results,
    dataframe: new DataFrame(results.map(({ data }) => data)),
    vectorstoreconnection: handle,
    base_retriever: handle,
    vector_store: handle,
  };
}

/** Returns the query under its name before version 1.2. */
function legacyQuery({ fields }: ComponentContext): string {
  return textSetting(fields, ['search_input']);
}

async function ingest(work: StoreTask, context: ComponentContext): Promise<void> {
  const given = ingestedTexts(work.ingest, context);
  const texts = work.store.selectNew === undefined ? given : await work.store.selectNew(given);
  if (texts.length === 0) return;
  await context.effect('store', async () => {
    await add(work, texts, context);
    return null;
  });
}

async function add(
  { store, embedding }: StoreTask,
  texts: readonly NewText[],
  context: ComponentContext,
): Promise<void> {
  const vectors = store.makesVectors
    ? []
    : await embedTexts(
        requireEmbedding(embedding),
        texts.map(({ text }) => text),
        context,
      );
  await store.add(texts.map((text, index) => ({ ...text, vector: vectors[index] ?? null })));
}

async function search(work: StoreTask, query: string, context: ComponentContext): Promise<readonly Data[]> {
  if (query.trim() === '') return (await work.browse?.()) ?? [];
  const threshold = Number(textOf(context.fields['search_score_threshold']));
  const type = searchTypeOf(textSetting(context.fields, ['search_type']));
  const storeQuery = { query, limit: work.results, type, threshold: Number.isNaN(threshold) ? 0 : threshold };
  return searchStore(work.store, work.embedding, storeQuery, context);
}

function textOf(value: PythonValue | undefined): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
}

function retriever(work: StoreTask, context: ComponentContext): RetrieverHandle {
  return { kind: 'retriever', search: (query) => search(work, query, context) };
}
