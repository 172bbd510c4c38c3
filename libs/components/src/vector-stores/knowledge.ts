import {
  boolean,
  ComponentError,
  defineComponent,
  dropdown,
  handle,
  integer,
  secret,
  tab,
  table,
  text,
  toDataFrame,
} from '@millrace/flow';
import type { ComponentContext, ComponentOutputs, InputValues, VectorMatch } from '@millrace/flow';
import { Data, DataFrame } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { embedTexts } from '../embeddings/calls/embed-texts';
import { observeRetrieval } from '../integrations/vector-stores/observe-retrieval';
import { knowledgeEmbedding } from './knowledge-bases/knowledge-embedding';
import { matchesSource, jsonObjectOf, knowledgeRows } from './knowledge-bases/knowledge-rows';

const inputs = {
  knowledge_base: dropdown({ displayName: 'Knowledge', options: [] }),
  mode: tab({
    displayName: 'Mode',
    options: ['Ingest', 'Retrieve'],
    default: 'Ingest',
    // Earlier versions put an icon before the name.
    formerNames: { '📥 Ingest': 'Ingest', '🔍 Retrieve': 'Retrieve' },
    tool: true,
  }),
  input_df: handle({
    displayName: 'Input',
    inputTypes: ['Message', 'Data', 'JSON', 'DataFrame', 'Table'],
  }),
  column_config: table({
    displayName: 'Column Configuration',
    default: [{ column_name: 'text', vectorize: true, identifier: true }],
  }),
  chunk_size: integer({ displayName: 'Chunk Size', default: 1000, advanced: true }),
  api_key: secret({ displayName: 'API Key', advanced: true }),
  allow_duplicates: boolean({ displayName: 'Allow Duplicates', advanced: true }),
  metadata_json: text({ displayName: 'Metadata', plain: true, advanced: true }),
  search_query: text({ displayName: 'Search Query', tool: true }),
  top_k: integer({ displayName: 'Top K Results', default: 5, advanced: true }),
  include_metadata: boolean({ displayName: 'Include Metadata', default: true }),
  include_embeddings: boolean({ displayName: 'Include Embeddings', advanced: true }),
  metadata_filter: text({ displayName: 'Metadata Filter', advanced: true }),
};

type Values = InputValues<typeof inputs>;

export default defineComponent({
  type: 'Knowledge',
  aliases: [
    'KnowledgeBase',
    'KnowledgeIngestion',
    'KnowledgeRetrieval',
    'KBIngestion',
    'KBRetrieval',
    'KnowledgeComponent',
  ],
  displayName: 'Knowledge',
  typeNames: { KnowledgeBase: 'Knowledge Base', KnowledgeIngestion: 'Knowledge Ingestion' },
  description: 'Stores rows in a knowledge base of the installation, or searches one by similarity.',
  inputs,
  outputs: {
    dataframe_output: { types: ['Data', 'JSON'], displayName: 'Results', method: 'build_kb_info' },
    retrieve_data: { types: ['DataFrame', 'Table'], displayName: 'Results', method: 'retrieve_data' },
    chroma_kb_data: {
      types: ['DataFrame'],
      displayName: 'Results of earlier versions',
      tool: false,
    },
  },
  deterministic: false,
  run: async (values, context) => {
    const isRetrieval = retrieves(values, context);
    if (values.knowledge_base === '') {
      throw new ComponentError(
        isRetrieval
          ? 'Metadata not found for knowledge base: . Ensure it has been indexed.'
          : 'Knowledge base path is not set. Please create a new knowledge base first.',
      );
    }
    return isRetrieval ? retrieve(values, context) : ingest(values, context);
  },
});

/** Earlier versions had a separate component for each of the two modes. */
function retrieves({ mode }: Values, { vertex }: ComponentContext): boolean {
  if (/Retrieval|KnowledgeBase/.test(vertex.type)) return true;
  return mode === 'Retrieve' && !/Ingestion/.test(vertex.type);
}

async function ingest(values: Values, context: ComponentContext): Promise<ComponentOutputs> {
  const rows = toDataFrame(values.input_df);
  const { vectors } = context.resources;
  const collection = collectionOf(values);
  const texts = knowledgeRows(rows, values.column_config, jsonObjectOf(values.metadata_json));
  // Texts with the same id replace each other, so duplicates need distinct ids.
  const numbered = texts.map((one, index) =>
    values.allow_duplicates ? { ...one, id: `${one.id}-${context.run.id}-${index}` } : one,
  );
  if (numbered.length > 0) {
    const embeddings = await embedTexts(
      await knowledgeEmbedding(values.api_key, context, collection),
      numbered.map((one) => one.text),
      context,
    );
    await vectors.write(
      collection,
      numbered.map((one, index) => ({ ...one, vector: embeddings[index] ?? [] })),
    );
  }
  context.status(`✅ KB **${values.knowledge_base}** saved · ${rows.rows.length} chunks.`);
  const summary = new Data({
    kb_name: values.knowledge_base,
    rows: rows.rows.length,
    config_columns: values.column_config.length,
    timestamp: new Date().toISOString(),
  });
  return { dataframe_output: summary, retrieve_data: new DataFrame([summary.data]) };
}

async function retrieve(values: Values, context: ComponentContext): Promise<ComponentOutputs> {
  const found = await matches(values, context);
  const rows = found.map(({ document, similarity }) => ({
    content: document.text,
    // The negative squared distance of normalized vectors; a larger value is nearer.
    ...(similarity === null ? {} : { _score: -2 * (1 - similarity) }),
    ...(values.include_metadata ? document.metadata : {}),
    ...(values.include_embeddings ? { _embeddings: document.vector as readonly PythonValue[] } : {}),
  }));
  const results = new DataFrame(rows);
  return {
    retrieve_data: results,
    chroma_kb_data: results,
    dataframe_output: new Data({ results: rows }),
  };
}

type Found = Omit<VectorMatch, 'similarity'> & { readonly similarity: number | null };

async function matches(values: Values, context: ComponentContext): Promise<readonly Found[]> {
  const { vectors } = context.resources;
  const collection = collectionOf(values);
  const wanted = jsonObjectOf(values.metadata_filter);
  const filtered = Object.keys(wanted).length > 0;
  const maximumResults = Math.max(values.top_k, 0);
  const limit = filtered ? maximumResults * 4 : maximumResults;
  const found: readonly Found[] =
    values.search_query.trim() === ''
      ? (await vectors.list(collection, limit)).map((document) => ({ document, similarity: null }))
      : await nearest(values, limit, context);
  return found
    .filter(({ document }) => !filtered || matchesSource(document.metadata, wanted))
    .slice(0, maximumResults);
}

async function nearest(values: Values, limit: number, context: ComponentContext): Promise<readonly Found[]> {
  const query = values.search_query;
  return observeRetrieval({ query, limit }, context, async () => {
    const embedding = await knowledgeEmbedding(values.api_key, context, collectionOf(values));
    const [vector = []] = await embedTexts(embedding, [query], context);
    return context.resources.vectors.search(collectionOf(values), { vector, limit });
  });
}

function collectionOf({ knowledge_base }: Values): string {
  return `knowledge:${knowledge_base}`;
}
