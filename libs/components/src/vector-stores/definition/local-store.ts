import type { ComponentContext } from '@millrace/flow';
import type { VectorStore } from '../../integrations/vector-stores/vector-store';

/** A collection in the installation's own database, for stores that are files on one machine in Langflow. */
export function localStore(collection: string, { resources }: ComponentContext): VectorStore {
  return {
    makesVectors: false,
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
