import { defineComponent, integer, tab, text } from '@millrace/flow';
import { newsInputs } from './web-and-news/news-inputs';
import { readRss } from './web-and-news/read-rss';
import { articleColumns, rowsOrError, webColumns } from './web-and-news/rows-or-error';
import { searchNews } from './web-and-news/search-news';
import { searchWeb } from './web-and-news/search-web';

export default defineComponent({
  type: 'UnifiedWebSearch',
  displayName: 'Web Search',
  description: 'Searches the web or the news, or reads an RSS feed.',
  inputs: {
    search_mode: tab({
      displayName: 'Search Mode',
      description: 'Web, News, or RSS; for RSS the query is the address of the feed.',
      options: ['Web', 'News', 'RSS'],
      default: 'Web',
      tool: true,
    }),
    query: text({
      displayName: 'Search Query',
      description: 'Words to search for; in the mode RSS, the address of the feed.',
      required: true,
      tool: true,
    }),
    ...newsInputs,
    timeout: integer({ displayName: 'Timeout', default: 5, advanced: true }),
    max_results: integer({ displayName: 'Max Results', default: 5, advanced: true }),
    max_content_length: integer({ displayName: 'Max Content Length', default: 2000, advanced: true }),
  },
  outputs: {
    results: { types: ['DataFrame', 'Table'], displayName: 'Results', method: 'perform_search' },
  },
  deterministic: false,
  run: async ({ search_mode, query, ...inputs }, context) => {
    const limits = { results: inputs.max_results, characters: inputs.max_content_length };
    const timeout = Math.max(1, inputs.timeout) * 1000;
    switch (search_mode) {
      case 'News': {
        const news = searchNews({ ...inputs, query }, limits, timeout, context);
        return { results: await rowsOrError(articleColumns, 'summary', news, context) };
      }
      case 'RSS': {
        const feed = readRss(query, limits, timeout, context);
        const logged = feed.then((articles) => {
          context.log(`Fetched ${articles.length} articles.`);
          return articles;
        });
        return { results: await rowsOrError(articleColumns, 'summary', logged, context) };
      }
      default: {
        const found = searchWeb(query, limits, timeout, context);
        return { results: await rowsOrError(webColumns, 'snippet', found, context) };
      }
    }
  },
});
