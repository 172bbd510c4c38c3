import { ComponentError, defineComponent, integer, secret, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { objectsMember, textMember } from '../integrations/http/json-members';

/** The minimum number of passages in a request to Needle. */
const minimumResults = 20;

export default defineComponent({
  type: 'needle',
  aliases: ['Needle', 'NeedleComponent'],
  displayName: 'Needle Retriever',
  description: 'Searches for passages in a Needle collection.',
  inputs: {
    needle_api_key: secret({ displayName: 'Needle API Key', required: true }),
    collection_id: text({ displayName: 'Collection ID', required: true }),
    query: text({ displayName: 'User Query', required: true, tool: true }),
    top_k: integer({ displayName: 'Top K Results', required: true, default: minimumResults }),
  },
  outputs: { result: { types: ['Message'], displayName: 'Result', method: 'needle_component' } },
  deterministic: false,
  run: async ({ needle_api_key, collection_id, query, top_k }, context) => {
    const key = given(needle_api_key, 'Needle API key');
    const collection = given(collection_id, 'Collection ID');
    given(query, 'query');
    const limit = Math.max(minimumResults, top_k);
    const passages = await search({ key, collection, query, limit }, context);
    const found = passages.map((passage, index) => `Document ${index + 1}:\n${passage}`).join('\n\n');
    const answer =
      passages.length === 0
        ? 'No relevant documents found for the query.'
        : `Question: ${query}\n\nContext:\n${found}`;
    return { result: new Message({ text: answer }) };
  },
});

function given(value: string, name: string): string {
  const trimmed = value.trim();
  if (trimmed === '') throw new ComponentError(`The ${name} cannot be empty.`);
  return trimmed;
}

interface NeedleSearch {
  readonly key: string;
  readonly collection: string;
  readonly query: string;
  readonly limit: number;
}

async function search(
  { key, collection, query, limit }: NeedleSearch,
  context: ComponentContext,
): Promise<readonly string[]> {
  const answer = await callJson(
    {
      service: 'Needle',
      url: `https://search.needle-ai.com/api/v1/collections/${encodeURIComponent(collection)}/search`,
      method: 'POST',
      headers: { 'x-api-key': key },
      json: { text: query, top_k: limit },
      secrets: [key],
      repeatable: true,
    },
    context,
  );
  return objectsMember(answer, 'result').map((passage) => textMember(passage, 'content'));
}
