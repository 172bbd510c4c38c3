import { ModelCall } from './openai-call';
import type { EmbeddingProtocol, EmbeddingPurpose } from '../models/embedding-protocol';

/** OpenAI's API; some compatible servers require the purpose of the texts in `input_type`. */
export function openAiEmbedding(
  inputTypes: Readonly<Record<EmbeddingPurpose, string>> | null = null,
  maximumTexts = 1000,
): EmbeddingProtocol {
  return {
    maximumTexts,
    embed: async (settings, texts, purpose, context) => {
      const { model, dimensions } = settings;
      const call = new ModelCall(settings, context);
      try {
        const { data } = await call.client.embeddings.create(
          {
            model,
            input: [...texts],
            // Plain numbers, because not every compatible server supports base64.
            encoding_format: 'float',
            ...(dimensions === null ? {} : { dimensions }),
            ...(inputTypes === null ? {} : { input_type: inputTypes[purpose] }),
          },
          { signal: call.signal },
        );
        return [...data].sort((a, b) => a.index - b.index).map((entry) => entry.embedding);
      } catch (error) {
        throw call.failure(error);
      }
    },
  };
}
