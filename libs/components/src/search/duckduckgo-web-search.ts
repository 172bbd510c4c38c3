import { defineComponent, integer, text } from '@millrace/flow';
import { rowsOrError, webColumns } from './web-and-news/rows-or-error';
import { searchWeb } from './web-and-news/search-web';

const maximumResults = 10;

export default defineComponent({
  type: 'WebSearchNoAPI',
  aliases: ['WebSearch', 'WebSearchComponent'],
  displayName: 'Web Search (DuckDuckGo)',
  description: 'Searches the web with DuckDuckGo and reads the pages it finds.',
  inputs: {
    query: text({ displayName: 'Search Query', required: true, tool: true }),
    timeout: integer({ displayName: 'Timeout', default: 5, advanced: true }),
  },
  outputs: {
    results: { types: ['DataFrame', 'Table'], displayName: 'Search Results', method: 'perform_search' },
  },
  deterministic: false,
  run: async ({ query, timeout }, context) => {
    const limits = { results: maximumResults, characters: 0 };
    const found = searchWeb(query, limits, Math.max(1, timeout) * 1000, context);
    return { results: await rowsOrError(webColumns, 'snippet', found, context) };
  },
});
