import { defineComponent, integer, text } from '@millrace/flow';
import { readRss } from './web-and-news/read-rss';
import { articleColumns, rowsOrError } from './web-and-news/rows-or-error';

export default defineComponent({
  type: 'RSSReaderSimple',
  aliases: ['RSSReader', 'RSSReaderComponent'],
  displayName: 'RSS Reader',
  description: 'Reads the entries of an RSS or Atom feed.',
  inputs: {
    rss_url: text({ displayName: 'RSS Feed URL', required: true, tool: true }),
    timeout: integer({ displayName: 'Timeout', default: 5, advanced: true }),
  },
  outputs: { articles: { types: ['DataFrame', 'Table'], displayName: 'Articles', method: 'read_rss' } },
  deterministic: false,
  run: async ({ rss_url, timeout }, context) => {
    const feed = readRss(rss_url, { results: 0, characters: 0 }, Math.max(1, timeout) * 1000, context);
    return { articles: await rowsOrError(articleColumns, 'summary', feed, context) };
  },
});
