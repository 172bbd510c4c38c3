import { member, objectsMember } from '../http/json-members';
import { postToModel } from '../models/model-http';
import { googleModelPath } from './google-model-path';
import type { EmbeddingProtocol } from '../models/embedding-protocol';
import { vectorsIn } from '../models/vectors-in';

const taskTypes = { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' };

/** Google's Gemini API, version v1beta. */
export const googleEmbedding: EmbeddingProtocol = {
  maximumTexts: 100,
  embed: async (settings, texts, purpose, context) => {
    const { provider, model, dimensions } = settings;
    const path = googleModelPath(model);
    const requests = texts.map((text) => ({
      model: decodeURIComponent(path),
      content: { parts: [{ text }] },
      taskType: taskTypes[purpose],
      ...(dimensions === null ? {} : { outputDimensionality: dimensions }),
    }));
    const post = { path: `/${path}:batchEmbedContents`, body: { requests } };
    const answer = await postToModel(settings, post, context);
    return vectorsIn(
      provider,
      objectsMember(answer, 'embeddings').map((embedding) => member(embedding, 'values')),
      answer,
    );
  },
};
