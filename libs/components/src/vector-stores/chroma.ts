import { boolean, defineComponent, dropdown, integer, text } from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import { ChromaServer } from './chroma-server';
import { chosenEmbedding } from './chosen-embedding';
import { localStore } from './local-store';
import { runStore } from './run-store';
import { serviceAddress } from './service-address';
import { embeddingInput, resultsInput, storeInputs } from './store-inputs';
import { storeOutputs } from './store-outputs';
import type { VectorStore } from './vector-store';
import { withoutStored } from './without-stored';
import type { FoundText } from './vector-store';

const inputs = {
  collection_name: text({ displayName: 'Collection Name', plain: true, default: 'langflow' }),
  persist_directory: text({ displayName: 'Persist Directory', plain: true }),
  ...storeInputs,
  ...embeddingInput,
  chroma_server_cors_allow_origins: text({
    displayName: 'Server CORS Allow Origins',
    plain: true,
    advanced: true,
  }),
  chroma_server_host: text({ displayName: 'Server Host', plain: true, advanced: true }),
  chroma_server_http_port: integer({ displayName: 'Server HTTP Port', advanced: true }),
  chroma_server_grpc_port: integer({ displayName: 'Server gRPC Port', advanced: true }),
  chroma_server_ssl_enabled: boolean({ displayName: 'Server SSL Enabled', advanced: true }),
  allow_duplicates: boolean({ displayName: 'Allow Duplicates', advanced: true }),
  search_type: dropdown({
    displayName: 'Search Type',
    options: ['Similarity', 'MMR'],
    default: 'Similarity',
    advanced: true,
  }),
  ...resultsInput(10),
  limit: integer({ displayName: 'Limit', advanced: true }),
};

type Values = InputValues<typeof inputs>;

/** How many stored texts new ones are compared with, unless a node names fewer. */
const mostCompared = 10_000;

export default defineComponent({
  type: 'Chroma',
  aliases: ['ChromaVectorStoreComponent'],
  displayName: 'Chroma DB',
  description:
    'Stores texts on a Chroma server, or without one in the installation itself, and searches them.',
  inputs,
  outputs: storeOutputs,
  deterministic: false,
  run: async (values, context) => {
    const { store, list } = open(values, context);
    const compared = values.limit === null || values.limit <= 0 ? mostCompared : values.limit;
    return runStore(
      {
        store,
        embedding: await chosenEmbedding(values.embedding, '', context),
        ingest: values.ingest_data,
        query: values.search_query,
        results: values.number_of_results,
        select: async (texts) =>
          values.allow_duplicates || texts.length === 0
            ? texts
            : withoutStored(texts, await list(Math.min(compared, mostCompared))),
      },
      context,
    );
  },
});

interface Opened {
  readonly store: VectorStore;
  list(limit: number): Promise<readonly Pick<FoundText, 'text' | 'metadata'>[]>;
}

function open(values: Values, context: ComponentContext): Opened {
  const name = values.collection_name || 'langflow';
  if (values.chroma_server_host.trim() === '') {
    const collection = `chroma:${values.persist_directory}:${name}`;
    return {
      store: localStore(collection, context),
      list: (limit) => context.resources.vectors.list(collection, limit),
    };
  }
  const server = new ChromaServer(addressOf(values), name, context);
  return { store: server, list: (limit) => server.list(limit) };
}

function addressOf(values: Values): string {
  const host = values.chroma_server_host.trim();
  const protocol = values.chroma_server_ssl_enabled ? 'https' : 'http';
  const address = new URL(serviceAddress(host.includes('://') ? host : `${protocol}://${host}`, 'Chroma'));
  if (values.chroma_server_http_port !== null) address.port = String(values.chroma_server_http_port);
  else if (address.port === '' && address.protocol === 'http:') address.port = '8000';
  return serviceAddress(address.href, 'Chroma');
}
