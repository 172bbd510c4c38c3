import { ComponentError, isDict, jsonValue, secret, text } from '@millrace/flow';
import type { InputValues } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callJson, callService } from '../integrations/http/call-service';
import type { ServiceCall } from '../integrations/http/call-service';
import { objectsMember, textMember } from '../integrations/http/json-members';
import { requireKey } from '../integrations/http/require-key';
import { batches } from '../integrations/http/batches';
import { defineVectorStore } from './definition/define-vector-store';
import { numberList, numberOf } from '../integrations/vector-stores/number-list';
import { serviceAddress } from '../integrations/http/service-address';
import type { VectorStore } from '../integrations/vector-stores/vector-store';

const inputs = {
  supabase_url: text({ displayName: 'Supabase URL', plain: true, required: true }),
  supabase_service_key: secret({ displayName: 'Supabase Service Key', required: true }),
  table_name: text({ displayName: 'Table Name', plain: true, advanced: true }),
  query_name: text({ displayName: 'Query Name', plain: true }),
};

const service = 'Supabase';
const maximumRows = 100;

export default defineVectorStore({
  type: 'SupabaseVectorStore',
  aliases: ['SupabaseVectorStoreComponent'],
  displayName: 'Supabase',
  description: 'Stores texts in a Supabase table and searches them with a database function.',
  inputs,
  open: (values, context): VectorStore => {
    const table = encodeURIComponent(values.table_name || 'documents');
    const query = encodeURIComponent(values.query_name || 'match_documents');
    const call = createRequest(values);
    return {
      makesVectors: false,
      add: async (texts) => {
        for (const batch of batches(texts, maximumRows)) {
          const rows = batch.map(({ id, text: content, metadata, vector }) => ({
            id,
            content,
            metadata,
            embedding: [...(vector ?? [])],
          }));
          await callService(
            call(table, rows, { prefer: 'resolution=merge-duplicates,return=minimal' }),
            context,
          );
        }
      },
      search: async ({ vector, limit }) => {
        const path = `rpc/${query}`;
        const found = await callJson(
          { ...call(path, { query_embedding: [...(vector ?? [])] }), query: { limit } },
          context,
        );
        return objectsMember({ found }, 'found').map((row) => ({
          text: textMember(row, 'content'),
          metadata: objectOf(row['metadata']),
          similarity: numberOf(row['similarity'] ?? null),
          vector: numberList(row['embedding'] ?? null),
        }));
      },
    };
  },
});

/** Sends requests to the project's REST API; inserts and searches are safe to repeat. */
function createRequest({
  supabase_url,
  supabase_service_key,
}: InputValues<typeof inputs>): (
  path: string,
  body: PythonValue,
  headers?: Readonly<Record<string, string>>,
) => ServiceCall {
  const key = requireKey(supabase_service_key, 'Supabase Service Key');
  if (supabase_url === '') throw new ComponentError('Supabase needs the address of a project.');
  const root = `${serviceAddress(supabase_url, service)}/rest/v1`;
  return (path, body, headers = {}) => ({
    service,
    url: `${root}/${path}`,
    method: 'POST',
    headers: { apikey: key, authorization: `Bearer ${key}`, ...headers },
    json: jsonValue(body),
    secrets: [key],
    repeatable: true,
  });
}

function objectOf(value: PythonValue | undefined): PythonObject {
  return value !== undefined && isDict(value) ? value : {};
}
