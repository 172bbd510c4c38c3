import { postToModel } from '../../language-models/model-http';
import type { EmbeddingProtocol } from '../embedding-protocol';
import { vectorsIn } from './vectors-in';

/** Hugging Face's feature extraction, which its Text Embeddings Inference speaks, too; the address is the model's own. */
export const huggingFaceEmbedding: EmbeddingProtocol = {
  mostTexts: 32,
  embed: async (settings, texts, _, context) =>
    vectorsIn(settings.provider, await postToModel(settings, { path: '', body: { inputs: texts } }, context)),
};
