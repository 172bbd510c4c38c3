import { ModelCall } from '../../language-models/model-call';
import type { EmbeddingProtocol, EmbeddingPurpose } from '../embedding-protocol';

/** OpenAI's protocol; some who speak it want to know in `input_type` what the texts are for. */
export function openAiEmbedding(
  inputTypes: Readonly<Record<EmbeddingPurpose, string>> | null = null,
  mostTexts = 1000,
): EmbeddingProtocol {
  return {
    mostTexts,
    embed: async (settings, texts, purpose, context) => {
      const { model, dimensions } = settings;
      const call = new ModelCall(settings, context);
      try {
        const { data } = await call.client.embeddings.create(
          {
            model,
            input: [...texts],
            // Plain numbers: not every server that speaks the protocol knows the packed form.
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
