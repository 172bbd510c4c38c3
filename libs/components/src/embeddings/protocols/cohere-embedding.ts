import { member } from '../../http/json-members';
import { postToModel } from '../../language-models/model-http';
import type { EmbeddingProtocol } from '../embedding-protocol';
import { vectorsIn } from './vectors-in';

const inputTypes = { document: 'search_document', query: 'search_query' };

/** Cohere's own interface, version 2; `truncate` says which end of a text that is too long goes, `''` lets Cohere decide. */
export function cohereEmbedding(truncate: string): EmbeddingProtocol {
  return {
    mostTexts: 96,
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
      return vectorsIn(provider, member(answer, 'embeddings', 'float'));
    },
  };
}
