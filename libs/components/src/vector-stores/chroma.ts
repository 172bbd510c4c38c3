import { boolean, dropdown, integer, text } from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import { ChromaServer } from '../integrations/chroma/chroma-collection';
import { defineVectorStore } from './definition/define-vector-store';
import { localStore } from './definition/local-store';
import { serviceAddress } from '../integrations/http/service-address';
import type { VectorStore } from '../integrations/vector-stores/vector-store';
import { excludeStored } from './ingestion/exclude-stored';
import type { StoredEntry } from './ingestion/exclude-stored';

const inputs = {
  collection_name: text({ displayName: 'Collection Name', plain: true, default: 'langflow' }),
  persist_directory: text({ displayName: 'Persist Directory', plain: true }),
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
  limit: integer({ displayName: 'Limit', advanced: true }),
};

type Values = InputValues<typeof inputs>;

export default defineVectorStore({
  type: 'Chroma',
  aliases: ['ChromaVectorStoreComponent'],
  displayName: 'Chroma DB',
  description:
    'Stores texts on a Chroma server or, without one, in the built-in database, and searches them.',
  inputs,
  defaultResults: 10,
  open: (values, context) => {
    const { store, list } = opened(values, context);
    if (values.allow_duplicates) return store;
    return {
      makesVectors: store.makesVectors,
      selectNew: (texts) => excludeStored(texts, list, values.limit),
      add: (texts) => store.add(texts),
      search: (search) => store.search(search),
    };
  },
});

interface Opened {
  readonly store: VectorStore;
  list(limit: number): Promise<readonly StoredEntry[]>;
}

function opened(values: Values, context: ComponentContext): Opened {
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
