import { boolean, dropdown, integer, text } from '@millrace/flow';
import { defineVectorStore } from './definition/define-vector-store';
import { localStore } from './definition/local-store';
import { maximumCompared, excludeStored } from './ingestion/exclude-stored';

export default defineVectorStore({
  type: 'LocalDB',
  aliases: ['LocalDBComponent'],
  displayName: 'Local DB',
  description: 'Stores texts in the built-in database and searches them.',
  inputs: {
    mode: dropdown({ displayName: 'Mode', options: ['Ingest', 'Retrieve'] }),
    collection_name: text({ displayName: 'Name Your Collection', default: 'langflow' }),
    existing_collections: dropdown({ displayName: 'Existing Collections', options: [] }),
    persist: boolean({ displayName: 'Persist', default: true, advanced: true }),
    persist_directory: text({ displayName: 'Persist Directory', advanced: true }),
    allow_duplicates: boolean({ displayName: 'Allow Duplicates', advanced: true }),
    search_type: dropdown({
      displayName: 'Search Type',
      options: ['Similarity', 'MMR'],
      default: 'Similarity',
      advanced: true,
    }),
    limit: integer({ displayName: 'Limit', default: maximumCompared, advanced: true }),
  },
  defaultResults: 10,
  open: (values, context) => {
    const name = values.existing_collections || values.collection_name;
    const collection = `local:${values.persist_directory}:${name}`;
    const store = localStore(collection, context);
    if (values.allow_duplicates) return store;
    const list = (limit: number) => context.resources.vectors.list(collection, limit);
    return { ...store, selectNew: (texts) => excludeStored(texts, list, values.limit) };
  },
});
