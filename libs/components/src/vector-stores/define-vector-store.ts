import { defineComponent } from '@millrace/flow';
import type { Component, ComponentContext, Input, InputValues } from '@millrace/flow';
import { chosenEmbedding } from './chosen-embedding';
import { runStore } from './run-store';
import { embeddingInput, resultsInput, storeInputs } from './store-inputs';
import { storeOutputs } from './store-outputs';
import type { VectorStore } from './vector-store';

type Inputs = Readonly<Record<string, Input<unknown>>>;

/** What makes one kind of vector store differ from another. */
export interface VectorStoreKind<Own extends Inputs> {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly description: string;
  readonly inputs: Own;
  /** How many results a search gives unless the node says so. */
  readonly usualResults?: number;
  /** Makes nothing and checks nothing that a search would not need. */
  open(values: InputValues<Own>, context: ComponentContext): VectorStore | Promise<VectorStore>;
}

/** A component that stores texts in a vector store and searches it, with an embedding model that a wire brings. */
export function defineVectorStore<const Own extends Inputs>(kind: VectorStoreKind<Own>): Component {
  const { type, aliases = [], displayName, description } = kind;
  const common = { ...storeInputs, ...embeddingInput, ...resultsInput(kind.usualResults) };
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
      return runStore(
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
