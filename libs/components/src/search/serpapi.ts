import { dictionary, integer, secret, text } from '@millrace/flow';
import { callJson } from '../integrations/http/call-service';
import { requireKey } from '../integrations/http/require-key';
import { defineSearch } from './define-search';
import { organicResults } from '../integrations/search-engines/organic-results';
import { plainParameters } from './plain-parameters';

export default defineSearch({
  type: 'Serp',
  aliases: ['SerpAPI', 'SerpAPIComponent', 'SerpComponent'],
  displayName: 'Serp Search API',
  description: 'Searches Google through SerpApi.',
  inputs: {
    serpapi_api_key: secret({ displayName: 'SerpAPI API Key', required: true }),
    input_value: text({ displayName: 'Input', multiline: true, tool: true }),
    search_params: dictionary({ displayName: 'Parameters', advanced: true }),
    max_results: integer({ displayName: 'Max Results', default: 5, advanced: true }),
    max_snippet_length: integer({ displayName: 'Max Snippet Length', default: 100, advanced: true }),
  },
  toolName: 'serp_search_api',
  find: async ({ serpapi_api_key, input_value, search_params, ...limits }, context) => {
    const key = requireKey(serpapi_api_key, 'SerpAPI API Key');
    const answer = await callJson(
      {
        service: 'SerpApi',
        url: 'https://serpapi.com/search.json',
        query: {
          engine: 'google',
          google_domain: 'google.com',
          gl: 'us',
          hl: 'en',
          ...plainParameters(search_params),
          q: input_value,
          api_key: key,
        },
        secrets: [key],
      },
      context,
    );
    const { max_results: results, max_snippet_length: characters } = limits;
    return organicResults(answer, 'organic_results', { results, characters });
  },
});
