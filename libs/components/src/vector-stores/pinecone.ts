import { ComponentError, dropdown, isDict, jsonValue, secret, text } from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { member, objectsMember, textMember } from '../integrations/http/json-members';
import { requireKey } from '../integrations/http/require-key';
import { batches } from '../integrations/http/batches';
import { defineVectorStore } from './definition/define-vector-store';
import { scalarMetadata } from '../integrations/vector-stores/json-metadata';
import { numberList, numberOf } from '../integrations/vector-stores/number-list';
import { serviceAddress } from '../integrations/http/service-address';
import { separateText } from './ingestion/separate-text';
import type { VectorStore } from '../integrations/vector-stores/vector-store';

const inputs = {
  index_name: text({ displayName: 'Index Name', plain: true, required: true }),
  namespace: text({ displayName: 'Namespace', plain: true }),
  distance_strategy: dropdown({
    displayName: 'Distance Strategy',
    options: ['Cosine', 'Euclidean', 'Dot Product'],
    default: 'Cosine',
    advanced: true,
  }),
  pinecone_api_key: secret({ displayName: 'Pinecone API Key', required: true }),
  text_key: text({ displayName: 'Text Key', plain: true, default: 'text', advanced: true }),
};

/** Pinecone accepts at most a thousand vectors and two megabytes in a request. */
const maximumVectors = 50;
const service = 'Pinecone';

export default defineVectorStore({
  type: 'Pinecone',
  aliases: ['PineconeVectorStoreComponent'],
  displayName: 'Pinecone',
  description: 'Stores texts in an index of Pinecone and searches it.',
  inputs,
  open: async (values, context): Promise<VectorStore> => {
    const { namespace, text_key } = values;
    const send = await connect(values, context);
    return {
      makesVectors: false,
      add: async (texts) => {
        for (const batch of batches(texts, maximumVectors)) {
          const vectors = batch.map(({ id, text: content, metadata, vector }) => ({
            id,
            values: [...(vector ?? [])],
            metadata: { ...scalarMetadata(metadata), [text_key]: content },
          }));
          await send('vectors/upsert', { vectors, namespace });
        }
      },
      search: async ({ vector, limit, withVectors }) => {
        const answer = await send('query', {
          vector: [...(vector ?? [])],
          topK: limit,
          namespace,
          includeMetadata: true,
          includeValues: withVectors,
        });
        return objectsMember(answer, 'matches').map((match) => {
          const metadata = member(match, 'metadata');
          return {
            ...separateText(isDict(metadata) ? metadata : {}, text_key),
            similarity: numberOf(match['score'] ?? null),
            vector: numberList(match['values'] ?? null),
          };
        });
      },
    };
  },
});

/** Sends requests to the host of the index; upserts and queries are safe to repeat. */
async function connect(
  { index_name, pinecone_api_key }: InputValues<typeof inputs>,
  context: ComponentContext,
): Promise<(path: string, body: PythonObject) => Promise<PythonValue>> {
  const key = requireKey(pinecone_api_key, 'Pinecone API Key');
  if (index_name === '') throw new ComponentError('Pinecone needs the name of an index.');
  const common = {
    service,
    headers: { 'api-key': key, 'x-pinecone-api-version': '2025-01' },
    secrets: [key],
    repeatable: true,
  };
  const url = `https://api.pinecone.io/indexes/${encodeURIComponent(index_name)}`;
  const host = serviceAddress(textMember(await callJson({ ...common, url }, context), 'host'), service);
  return (path, body) =>
    callJson({ ...common, url: `${host}/${path}`, method: 'POST', json: jsonValue(body) }, context);
}
