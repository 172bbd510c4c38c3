import { defineComponent, data, dropdown, integer, listOf, secret, text } from '@millrace/flow';
import { Data, PythonFloat, str } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { objectsMember } from '../integrations/http/json-members';
import { requireKey } from '../integrations/http/require-key';
import { numberOf } from '../integrations/vector-stores/number-list';

const service = 'Cohere';

export default defineComponent({
  type: 'CohereRerank',
  aliases: ['CohereRerankComponent'],
  displayName: 'Cohere Rerank',
  description: 'Sorts texts by their relevance to a query with a model of Cohere.',
  inputs: {
    search_query: text({ displayName: 'Search Query', multiline: true, tool: true }),
    search_results: listOf(data({ displayName: 'Search Results' })),
    top_n: integer({ displayName: 'Top N', default: 3, advanced: true }),
    api_key: secret({ displayName: 'Cohere API Key', variable: 'COHERE_API_KEY' }),
    model: dropdown({
      displayName: 'Model',
      options: [
        'rerank-english-v3.0',
        'rerank-multilingual-v3.0',
        'rerank-v3.5',
        'rerank-english-v2.0',
        'rerank-multilingual-v2.0',
      ],
      default: 'rerank-english-v3.0',
    }),
  },
  outputs: {
    reranked_documents: {
      types: ['Data', 'JSON'],
      displayName: 'Reranked Documents',
      method: 'compress_documents',
    },
  },
  deterministic: false,
  reusable: true,
  run: async ({ search_query, search_results, top_n, model, ...inputs }, context) => {
    if (search_results.length === 0) return { reranked_documents: [] };
    const stored = inputs.api_key.trim() || (await context.variable('COHERE_API_KEY')) || '';
    const key = requireKey(stored, 'Cohere API Key');
    const documents = search_results.map((item) => (item.text === null ? '' : str(item.text)));
    const answer = await callJson(
      {
        service,
        url: 'https://api.cohere.com/v2/rerank',
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        json: { model, query: search_query, documents, top_n: Math.max(1, top_n) },
        secrets: [key],
        repeatable: true,
      },
      context,
    );
    const reranked = objectsMember(answer, 'results').flatMap((result) => {
      const index = numberOf(result['index'] ?? null) ?? -1;
      const found = search_results[index];
      if (found === undefined) return [];
      const metadata = Object.entries(found.data).filter(([name]) => name !== found.textKey);
      const score = numberOf(result['relevance_score'] ?? null);
      return new Data({
        ...Object.fromEntries(metadata),
        relevance_score: score === null ? null : new PythonFloat(score),
        text: documents[index] ?? '',
      });
    });
    context.status(reranked);
    return { reranked_documents: reranked };
  },
});
