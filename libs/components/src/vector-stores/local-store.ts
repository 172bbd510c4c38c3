import type { ComponentContext } from '@millrace/flow';
import type { VectorStore } from './vector-store';

/** A collection in the installation's own database, for stores that were files on the disk of one machine. */
export function localStore(collection: string, { resources }: ComponentContext): VectorStore {
  return {
    embedsItself: false,
    add: (texts) =>
      resources.vectors.write(
        collection,
        texts.map(({ vector, ...text }) => ({ ...text, vector: vector ?? [] })),
      ),
    search: async ({ vector, limit }) => {
      const matches = await resources.vectors.search(collection, { vector: vector ?? [], limit });
      return matches.map(({ document: { text, metadata, vector: found }, similarity }) => ({
        text,
        metadata,
        similarity: (1 + similarity) / 2,
        vector: found,
      }));
    },
  };
}
