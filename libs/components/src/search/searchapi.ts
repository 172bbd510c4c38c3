import { dictionary, dropdown, integer, secret, text } from '@millrace/flow';
import { callJson } from '../integrations/http/call-service';
import { requireKey } from '../integrations/http/require-key';
import { defineSearch } from './define-search';
import { organicResults } from '../integrations/search-engines/organic-results';
import { plainParameters } from './plain-parameters';

export default defineSearch({
  type: 'SearchComponent',
  aliases: ['SearchAPI', 'SearchAPIComponent'],
  displayName: 'SearchApi',
  typeNames: { SearchAPI: 'Search API' },
  description: 'Searches Google, Bing or DuckDuckGo through SearchApi.',
  inputs: {
    engine: dropdown({
      displayName: 'Engine',
      options: ['google', 'bing', 'duckduckgo'],
      default: 'google',
    }),
    api_key: secret({ displayName: 'SearchAPI API Key', required: true }),
    input_value: text({ displayName: 'Input', multiline: true, tool: true }),
    search_params: dictionary({ displayName: 'Search parameters', advanced: true }),
    max_results: integer({ displayName: 'Max Results', default: 5, advanced: true }),
    max_snippet_length: integer({ displayName: 'Max Snippet Length', default: 100, advanced: true }),
  },
  toolName: 'search_api',
  find: async ({ api_key, engine, input_value, search_params, ...limits }, context) => {
    const key = requireKey(api_key, 'SearchAPI API Key');
    const answer = await callJson(
      {
        service: 'SearchApi',
        url: 'https://www.searchapi.io/api/v1/search',
        query: { engine, q: input_value, ...plainParameters(search_params) },
        headers: { authorization: `Bearer ${key}` },
        secrets: [key],
      },
      context,
    );
    const { max_results: results, max_snippet_length: characters } = limits;
    return organicResults(answer, 'organic_results', { results, characters });
  },
});
