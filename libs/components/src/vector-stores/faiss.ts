import { boolean, ComponentError, text } from '@millrace/flow';
import { defineVectorStore } from './definition/define-vector-store';
import { localStore } from './definition/local-store';
import type { VectorStore } from '../integrations/vector-stores/vector-store';

export default defineVectorStore({
  type: 'FAISS',
  aliases: ['FaissVectorStoreComponent'],
  displayName: 'FAISS',
  description: 'Stores texts in an index in the built-in database and searches it.',
  inputs: {
    index_name: text({ displayName: 'Index Name', plain: true, default: 'langflow_index' }),
    persist_directory: text({ displayName: 'Persist Directory', plain: true }),
    allow_dangerous_deserialization: boolean({
      displayName: 'Allow Dangerous Deserialization',
      default: true,
      advanced: true,
    }),
  },
  open: ({ index_name, persist_directory }, context) => {
    if (index_name === '') throw new ComponentError('FAISS needs the name of an index.');
    const collection = `faiss:${persist_directory}:${index_name}`;
    const store = localStore(collection, context);
    // New texts replace the index, as they do when the index is a file.
    return {
      ...store,
      add: async (texts) => {
        await context.resources.vectors.clear(collection);
        await store.add(texts);
      },
    } satisfies VectorStore;
  },
});
