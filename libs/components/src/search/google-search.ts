import { integer, secret, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { callJson } from '../integrations/http/call-service';
import { requireKey } from '../integrations/http/require-key';
import { defineSearch } from './define-search';
import { organicResults } from '../integrations/search-engines/organic-results';

const maximumResults = 10;

export default defineSearch({
  type: 'GoogleSearchAPICore',
  aliases: ['GoogleSearchAPI', 'GoogleSearchAPIComponent'],
  displayName: 'Google Search API',
  typeNames: { GoogleSearchAPI: 'Google Search API [DEPRECATED]' },
  description: 'Searches the web with Google Programmable Search.',
  inputs: {
    google_api_key: secret({ displayName: 'Google API Key', required: true }),
    google_cse_id: secret({ displayName: 'Google CSE ID', required: true }),
    input_value: text({ displayName: 'Input', multiline: true, tool: true }),
    k: integer({ displayName: 'Number of results', default: 4, required: true }),
  },
  table: { name: 'results', method: 'search_google' },
  toolName: 'google_search',
  toolOutputs: ['api_build_tool', 'tool'],
  find: async ({ google_api_key, google_cse_id, input_value, k }, context) => {
    if (google_api_key === '') return [new Data({ error: 'Invalid Google API Key' })];
    if (google_cse_id === '') return [new Data({ error: 'Invalid Google CSE ID' })];
    const key = requireKey(google_api_key, 'Google API Key');
    const cx = requireKey(google_cse_id, 'Google CSE ID');
    const num = Math.min(maximumResults, Math.max(1, k));
    const answer = await callJson(
      {
        service: 'Google Search',
        url: 'https://customsearch.googleapis.com/customsearch/v1',
        query: { key, cx, q: input_value, num },
        secrets: [key, cx],
      },
      context,
    );
    return organicResults(answer, 'items', { results: num, characters: Infinity });
  },
});
