import { member, objectsMember } from '../http/json-members';
import type { EmbeddingProtocol, EmbeddingPurpose } from '../models/embedding-protocol';
import { postToModel } from '../models/model-http';
import { vectorsIn } from '../models/vectors-in';

/** OpenAI's API; some compatible servers require the purpose of the texts in `input_type`. */
export function openAiEmbedding(
  inputTypes: Readonly<Record<EmbeddingPurpose, string>> | null = null,
  maximumTexts = 1000,
): EmbeddingProtocol {
  return {
    maximumTexts,
    embed: async (settings, texts, purpose, context) => {
      const { model, dimensions } = settings;
      const body = {
        model,
        input: texts,
        // Plain numbers, because not every compatible server supports base64.
        encoding_format: 'float',
        ...(dimensions === null ? {} : { dimensions }),
        ...(inputTypes === null ? {} : { input_type: inputTypes[purpose] }),
      };
      const answer = await postToModel(settings, { path: '/embeddings', body }, context);
      const entries = [...objectsMember(answer, 'data')].sort(
        (a, b) => Number(a['index']) - Number(b['index']),
      );
      return vectorsIn(
        settings.provider,
        entries.map((entry) => member(entry, 'embedding')),
        answer,
      );
    },
  };
}
