import {
  boolean,
  defineComponent,
  dropdown,
  float,
  handle,
  isDict,
  nestedDictionary,
  secret,
  text,
} from '@millrace/flow';
import type { ComponentContext, InputValues, EmbeddingsHandle } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { textSetting } from '../integrations/text-setting';
import { resolveAstraAccess } from '../integrations/astra/astra-access';
import { AstraStore } from '../integrations/astra/astra-store';
import { chosenEmbedding } from './definition/chosen-embedding';
import { ingestAndSearch } from './searching/ingest-and-search';
import { resultsInput, storeInputs } from './definition/store-inputs';
import { storeOutputs } from './definition/store-outputs';

const inputs = {
  token: secret({ displayName: 'Astra DB Application Token', required: true }),
  api_endpoint: text({ displayName: 'Astra DB API Endpoint' }),
  database_name: text({ displayName: 'Database', plain: true }),
  keyspace: text({ displayName: 'Keyspace', plain: true, advanced: true }),
  collection_name: text({ displayName: 'Collection', plain: true, required: true }),
  embedding_model: handle({ displayName: 'Embedding Model', inputTypes: ['Embeddings'] }),
  embedding: handle({ displayName: 'Embedding Model of earlier versions', inputTypes: ['Embeddings'] }),
  api_key: secret({ displayName: 'API Key', advanced: true }),
  ...storeInputs,
  search_method: dropdown({
    displayName: 'Search Method',
    options: ['Hybrid Search', 'Vector Search'],
    default: 'Vector Search',
    advanced: true,
  }),
  lexical_terms: text({ displayName: 'Lexical Terms', plain: true, advanced: true }),
  ...resultsInput(),
  search_type: dropdown({
    displayName: 'Search Type',
    options: ['Similarity', 'Similarity with score threshold', 'MMR (Max Marginal Relevance)'],
    default: 'Similarity',
    advanced: true,
  }),
  search_score_threshold: float({ displayName: 'Search Score Threshold', default: 0, advanced: true }),
  advanced_search_filter: nestedDictionary({ displayName: 'Search Metadata Filter', advanced: true }),
  content_field: text({ displayName: 'Content Field', plain: true, advanced: true }),
  deletion_field: text({ displayName: 'Deletion Based On Field', plain: true, advanced: true }),
  ignore_invalid_documents: boolean({ displayName: 'Ignore Invalid Documents', advanced: true }),
};

type Values = InputValues<typeof inputs>;

export default defineComponent({
  type: 'AstraDB',
  aliases: ['AstraDBVectorStoreComponent', 'AstraVectorStoreComponent'],
  displayName: 'Astra DB',
  description: 'Stores texts in a collection of Astra DB and searches it.',
  inputs,
  outputs: storeOutputs,
  deterministic: false,
  run: async (values, context) => {
    const embedding = vectorizes(context)
      ? null
      : await chosenEmbedding(values.embedding_model ?? values.embedding, values.api_key, context);
    const store = await open(values, embedding, context);
    const { ingest_data, search_query, number_of_results } = values;
    const filtered = Object.keys(filterOf(values, context)).length > 0;
    return ingestAndSearch(
      {
        store,
        embedding,
        ingest: [...ingest_data, ...legacyIngest(context)],
        query: search_query,
        results: number_of_results,
        browse: async () =>
          filtered
            ? (await store.browse(number_of_results)).map(
                ({ text: content, metadata }) => new Data({ ...metadata, text: content }),
              )
            : [],
      },
      context,
    );
  },
});

async function open(
  values: Values,
  embedding: EmbeddingsHandle | null,
  context: ComponentContext,
): Promise<AstraStore> {
  const { fields } = context;
  return new AstraStore(
    {
      access: await resolveAstraAccess(context),
      collection: values.collection_name.trim(),
      vectorize: embedding === null,
      contentField: values.content_field.trim(),
      // The default name depends on the version of the node, here and in an empty collection.
      defaultContentField: 'content_field' in fields ? 'page_content' : 'content',
      ignoreInvalid: values.ignore_invalid_documents,
      filter: filterOf(values, context),
      hybrid: values.search_method === 'Hybrid Search',
      lexicalTerms: values.lexical_terms,
      deletionField: values.deletion_field.trim(),
      clearsFirst: fields['pre_delete_collection'] === true,
      newCollection: newCollection(context),
    },
    context,
  );
}

/** Returns the texts of `ingest_data` under its name in the first versions, which also have a switch for storing. */
function legacyIngest({ fields }: ComponentContext): readonly PythonValue[] {
  const given = fields['vector_store_inputs'] ?? null;
  if (fields['add_to_vector_store'] === false || given === null || given === '') return [];
  return Array.isArray(given) ? given : [given];
}

/** Returns true when Astra makes the vectors, as nodes of some versions state explicitly. */
function vectorizes({ fields }: ComponentContext): boolean {
  return textSetting(fields, ['embedding_choice']) === 'Astra Vectorize';
}

function filterOf({ advanced_search_filter: filter }: Values, { fields }: ComponentContext): PythonObject {
  const former = fields['search_filter'] ?? null;
  return isDict(former) ? { ...former, ...filter } : filter;
}

/** Returns the options of a new collection from the fields of earlier versions. */
function newCollection(context: ComponentContext): PythonObject {
  const { fields } = context;
  const metric = textSetting(fields, ['metric']);
  const provider = textSetting(fields, ['embedding_provider']);
  const modelName = textSetting(fields, ['model']);
  const authentication = textSetting(fields, ['z_03_provider_api_key']);
  const service = {
    provider: provider.toLowerCase(),
    modelName,
    ...(authentication === '' ? {} : { authentication: { providerKey: authentication } }),
  };
  return {
    ...(metric === '' ? {} : { metric }),
    ...(provider === '' || modelName === '' || !vectorizes(context) ? {} : { service }),
  };
}
