import { member, objectsMember } from '../http/json-members';
import { postToModel } from '../models/model-http';
import type { EmbeddingProtocol } from '../models/embedding-protocol';
import { vectorsIn } from '../models/vectors-in';

/** IBM's API; `parameters` such as `truncate_input_tokens` are sent with every call. */
export function watsonxEmbedding(parameters: Readonly<Record<string, unknown>> = {}): EmbeddingProtocol {
  return {
    maximumTexts: 1000,
    embed: async (settings, texts, _, context) => {
      const { provider, model, scope } = settings;
      const given = Object.keys(parameters).length === 0 ? {} : { parameters };
      const body = { model_id: model, inputs: texts, ...scope, ...given };
      const answer = await postToModel(settings, { path: '/text/embeddings', body }, context);
      return vectorsIn(
        provider,
        objectsMember(answer, 'results').map((result) => member(result, 'embedding')),
        answer,
      );
    },
  };
}
