import { defineComponent, integer, text } from '@millrace/flow';
import { newsInputs } from './web-and-news/news-inputs';
import { articleColumns, rowsOrError } from './web-and-news/rows-or-error';
import { searchNews } from './web-and-news/search-news';

export default defineComponent({
  type: 'NewsSearch',
  displayName: 'News Search',
  description: 'Searches Google News.',
  inputs: {
    query: text({ displayName: 'Search Query', required: true, tool: true }),
    ...newsInputs,
    timeout: integer({ displayName: 'Timeout', default: 5, advanced: true }),
  },
  outputs: {
    articles: { types: ['DataFrame', 'Table'], displayName: 'News Articles', method: 'search_news' },
  },
  deterministic: false,
  run: async ({ timeout, ...query }, context) => {
    const found = searchNews(query, { results: 0, characters: 0 }, Math.max(1, timeout) * 1000, context);
    return { articles: await rowsOrError(articleColumns, 'summary', found, context) };
  },
});
