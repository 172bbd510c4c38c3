import { member } from '../http/json-members';
import type { AwsAccess } from '../aws/aws-access';
import type { EmbeddingProtocol } from '../models/embedding-protocol';
import { vectorsIn } from '../models/vectors-in';
import { bedrock, callBedrock } from './bedrock-call';

const purposes = { document: 'search_document', query: 'search_query' };
const textsOfCohere = 96;

/** Returns the embedding API of a model: Cohere's models take several texts in one call, all others one. */
export function bedrockEmbedding(access: AwsAccess, model: string): EmbeddingProtocol {
  if (/^(?:[a-z]+\.)?cohere\./.test(model)) {
    return {
      maximumTexts: textsOfCohere,
      embed: async (settings, texts, purpose, context) => {
        const body = { texts, input_type: purposes[purpose] };
        const answer = await callBedrock(
          access,
          { model, operation: 'InvokeModel', body },
          settings,
          context,
        );
        const found = member(answer, 'embeddings');
        // Version 4 names the type of the numbers.
        const vectors = Array.isArray(found) ? found : member(found, 'float');
        return vectorsIn(bedrock, vectors, answer);
      },
    };
  }
  return {
    maximumTexts: 1,
    embed: async (settings, texts, _, context) => {
      const body = { inputText: texts[0] ?? '' };
      const answer = await callBedrock(access, { model, operation: 'InvokeModel', body }, settings, context);
      return vectorsIn(bedrock, [member(answer, 'embedding')], answer);
    },
  };
}
