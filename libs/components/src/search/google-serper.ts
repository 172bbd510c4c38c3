import { integer, secret, text } from '@millrace/flow';
import { callJson } from '../integrations/http/call-service';
import { repr } from '@millrace/python-text';
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
  errorBefore: ({ serper_api_key, k }) =>
    serper_api_key.trim() === '' ? missingKey(serper_api_key, k) : null,
  find: async ({ serper_api_key, input_value, k }, context) => {
    const key = serper_api_key.trim();
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

/** The row in place of results, which Langflow gives to the vertices behind. */
function missingKey(key: string, results: number): string {
  const given = repr({ serper_api_key: key, k: results });
  return (
    'Error occurred while searching: 1 validation error for GoogleSerperAPIWrapper\n' +
    '  Value error, Did not find serper_api_key, please add an environment variable `SERPER_API_KEY` which contains it, ' +
    `or pass \`serper_api_key\` as a named parameter. [type=value_error, input_value=${given}, input_type=dict]\n` +
    '    For further information visit https://errors.pydantic.dev/2.13/v/value_error'
  );
}
