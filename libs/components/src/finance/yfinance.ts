import { ComponentError, dropdown, integer, text } from '@millrace/flow';
import { Data, str } from '@millrace/python-text';
import { textMember } from '../integrations/http/json-members';
import { defineSearch } from '../search/define-search';
import { yahooFacts, yahooNews } from '../integrations/yahoo/call-yahoo';
import { yahooMethods } from '../integrations/yahoo/yahoo-methods';

export default defineSearch({
  type: 'YfinanceComponent',
  aliases: ['YahooFinanceTool', 'YfinanceToolComponent'],
  displayName: 'Yahoo! Finance',
  description: 'Returns news and figures about a stock from Yahoo! Finance.',
  approximates: 'Figures have the names of Yahoo; the original renames some.',
  inputs: {
    symbol: text({ displayName: 'Stock Symbol', tool: true }),
    method: dropdown({
      displayName: 'Data Method',
      options: ['get_info', 'get_news', ...Object.keys(yahooMethods).filter((name) => name !== 'get_info')],
      default: 'get_news',
    }),
    num_news: integer({ displayName: 'Number of News', default: 5 }),
  },
  toolName: 'yahoo_finance',
  find: async ({ symbol, method, num_news }, context) => {
    if (method === 'get_news') {
      const news = await yahooNews(symbol, num_news, context);
      return news.map(
        (article) =>
          new Data({ ...article, text: `${textMember(article, 'title')}: ${textMember(article, 'link')}` }),
      );
    }
    const source = Object.hasOwn(yahooMethods, method) ? yahooMethods[method] : undefined;
    if (source === undefined)
      throw new ComponentError(`Unexpected error: '${method}' is not a valid YahooFinanceMethod`);
    const result = str(await yahooFacts(symbol, source, context));
    return [new Data({ result, text: result })];
  },
});
