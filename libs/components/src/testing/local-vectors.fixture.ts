import { noResources } from '@millrace/engine';
import { ComponentError } from '@millrace/flow';
import type { LocalVectors, RunResources, VectorDocument } from '@millrace/flow';
import { cosineSimilarity } from '../integrations/vector-stores/maximal-marginal-relevance';

type Model = NonNullable<Awaited<ReturnType<LocalVectors['model']>>>;

/** Resources of a run with vectors in memory; they last as long as the test. `models` are those of collections. */
export function resourcesWithVectors(models: Readonly<Record<string, Model>> = {}): RunResources {
  const vectors = memoryVectors(models);
  return Object.create(noResources, { vectors: { value: vectors } }) as RunResources;
}

function memoryVectors(models: Readonly<Record<string, Model>>): LocalVectors {
  const collections = new Map<string, Map<string, VectorDocument>>();
  const documents = (name: string): readonly VectorDocument[] => [...(collections.get(name)?.values() ?? [])];
  const checkDimensions = (name: string, given: number): void => {
    const existing = documents(name)[0]?.vector.length ?? given;
    if (existing !== given) {
      throw new ComponentError(
        `The collection "${name}" holds vectors of ${existing} dimensions; one of ${given} does not fit.`,
      );
    }
  };
  return {
    write: async (name, added) => {
      for (const document of added) {
        checkDimensions(name, document.vector.length);
        const existing = collections.get(name) ?? new Map<string, VectorDocument>();
        collections.set(name, existing.set(document.id, document));
      }
    },
    search: async (name, { vector, limit, where = {} }) => {
      checkDimensions(name, vector.length);
      return documents(name)
        .filter(({ metadata }) =>
          Object.entries(where).every(
            ([key, value]) => JSON.stringify(metadata[key]) === JSON.stringify(value),
          ),
        )
        .map((document) => ({ document, similarity: cosineSimilarity(vector, document.vector) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, limit);
    },
    list: async (name, limit) => documents(name).slice(0, limit),
    model: async (name) => models[name] ?? null,
    clear: async (name) => {
      const { length } = documents(name);
      collections.delete(name);
      return length;
    },
  };
}
