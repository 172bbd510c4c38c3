import { postToModel } from '../models/model-http';
import type { EmbeddingProtocol } from '../models/embedding-protocol';
import { vectorsIn } from '../models/vectors-in';

/** Hugging Face's feature extraction, also provided by Text Embeddings Inference; the address is that of the model. */
export const huggingFaceEmbedding: EmbeddingProtocol = {
  maximumTexts: 32,
  embed: async (settings, texts, _, context) => {
    const answer = await postToModel(settings, { path: '', body: { inputs: texts } }, context);
    return vectorsIn(settings.provider, answer, answer);
  },
};
