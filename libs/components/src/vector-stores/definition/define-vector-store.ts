import { defineComponent } from '@millrace/flow';
import type { Component, ComponentContext, Input, InputValues } from '@millrace/flow';
import { chosenEmbedding } from './chosen-embedding';
import { ingestAndSearch } from '../searching/ingest-and-search';
import { embeddingInput, resultsInput, storeInputs } from './store-inputs';
import { storeOutputs } from './store-outputs';
import type { VectorStore } from '../../integrations/vector-stores/vector-store';

type Inputs = Readonly<Record<string, Input<unknown>>>;

/** The differences between one kind of vector store and another. */
export interface VectorStoreKind<Own extends Inputs> {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly inputs: Own;
  /** The default number of search results. */
  readonly defaultResults?: number;
  /** Opens the store. Must not create or check anything that only storing needs. */
  open(values: InputValues<Own>, context: ComponentContext): VectorStore | Promise<VectorStore>;
}

/** Defines a component that stores texts in a vector store and searches it, with a connected embedding model. */
export function defineVectorStore<const Own extends Inputs>(kind: VectorStoreKind<Own>): Component {
  const { type, aliases = [], displayName, description } = kind;
  const common = { ...storeInputs, ...embeddingInput, ...resultsInput(kind.defaultResults) };
  return defineComponent({
    type,
    aliases,
    displayName,
    description,
    inputs: { ...kind.inputs, ...common },
    outputs: storeOutputs,
    deterministic: false,
    run: async (values, context) => {
      const all = values as InputValues<typeof common>;
      return ingestAndSearch(
        {
          store: await kind.open(values as InputValues<Own>, context),
          embedding: await chosenEmbedding(all.embedding, '', context),
          ingest: all.ingest_data,
          query: all.search_query,
          results: all.number_of_results,
        },
        context,
      );
    },
  });
}
