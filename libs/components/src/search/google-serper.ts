import { integer, secret, text } from '@millrace/flow';
import { callJson } from '../integrations/http/call-service';
import { requireKey } from '../integrations/http/require-key';
import { defineSearch } from './define-search';
import { organicResults } from '../integrations/search-engines/organic-results';

export default defineSearch({
  type: 'GoogleSerperAPICore',
  aliases: ['GoogleSerperAPI', 'GoogleSerperAPIComponent'],
  displayName: 'Google Serper API',
  typeNames: { GoogleSerperAPI: 'Google Serper API [DEPRECATED]' },
  description: 'Searches Google through the Serper API.',
  inputs: {
    serper_api_key: secret({ displayName: 'Serper API Key', required: true }),
    input_value: text({ displayName: 'Input', multiline: true, tool: true }),
    k: integer({ displayName: 'Number of results', default: 4, required: true }),
  },
  table: { name: 'results', method: 'search_serper' },
  toolName: 'google_search',
  toolOutputs: ['api_build_tool', 'tool'],
  find: async ({ serper_api_key, input_value, k }, context) => {
    const key = requireKey(serper_api_key, 'Serper API Key');
    const answer = await callJson(
      {
        service: 'Serper',
        url: 'https://google.serper.dev/search',
        method: 'POST',
        headers: { 'x-api-key': key },
        json: { q: input_value, gl: 'us', hl: 'en', num: k },
        secrets: [key],
        repeatable: true,
      },
      context,
    );
    return organicResults(answer, 'organic', { results: k, characters: Infinity });
  },
});
