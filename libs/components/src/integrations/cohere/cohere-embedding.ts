import { member } from '../http/json-members';
import { postToModel } from '../models/model-http';
import type { EmbeddingProtocol } from '../models/embedding-protocol';
import { vectorsIn } from '../models/vectors-in';

const inputTypes = { document: 'search_document', query: 'search_query' };

/** Cohere's native API, version 2. `truncate` is the end at which long texts are cut; `''` uses Cohere's default. */
export function cohereEmbedding(truncate: string): EmbeddingProtocol {
  return {
    maximumTexts: 96,
    embed: async (settings, texts, purpose, context) => {
      const { provider, model, dimensions } = settings;
      const body = {
        model,
        texts,
        input_type: inputTypes[purpose],
        embedding_types: ['float'],
        ...(truncate === '' ? {} : { truncate }),
        ...(dimensions === null ? {} : { output_dimension: dimensions }),
      };
      const answer = await postToModel(settings, { path: '/embed', body }, context);
      return vectorsIn(provider, member(answer, 'embeddings', 'float'), answer);
    },
  };
}
