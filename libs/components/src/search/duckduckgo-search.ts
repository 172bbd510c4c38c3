import { integer, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { defineSearch } from './define-search';
import { searchDuckDuckGo } from '../integrations/duckduckgo/duckduckgo';

const timeoutMilliseconds = 20_000;

export default defineSearch({
  type: 'DuckDuckGoSearchComponent',
  aliases: ['DuckDuckGoSearch'],
  displayName: 'DuckDuckGo Search',
  description: 'Searches the web with DuckDuckGo.',
  approximates: 'Each result is a separate row; the original joins them into one text.',
  inputs: {
    input_value: text({ displayName: 'Search Query', required: true, tool: true }),
    max_results: integer({ displayName: 'Max Results', default: 5, advanced: true }),
    max_snippet_length: integer({ displayName: 'Max Snippet Length', default: 100, advanced: true }),
  },
  toolName: 'duckduckgo_search',
  find: async ({ input_value, max_results, max_snippet_length }, context) => {
    const results = await searchDuckDuckGo(input_value, timeoutMilliseconds, context);
    return results.slice(0, Math.max(0, max_results)).map(({ snippet: content }) => {
      const snippet = content.slice(0, Math.max(0, max_snippet_length));
      return new Data({ content, snippet, text: snippet });
    });
  },
});
