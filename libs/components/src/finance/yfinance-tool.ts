import { text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { textMember } from '../integrations/http/json-members';
import { defineSearch } from '../search/define-search';
import { yahooNews } from '../integrations/yahoo/call-yahoo';

const maximumNews = 10;

export default defineSearch({
  type: 'YFinanceTool',
  displayName: 'Yahoo Finance News Tool',
  description: 'Finds financial news about a company by its stock symbol.',
  inputs: {
    input_value: text({ displayName: 'Query', description: 'The symbol of a company.', tool: true }),
  },
  toolName: 'yahoo_finance_news',
  toolOutputs: ['tool', 'api_build_tool'],
  find: async ({ input_value }, context) => {
    const news = await yahooNews(input_value, maximumNews, context);
    if (news.length === 0)
      return [new Data({ text: `No news found for company that searched with ${input_value} ticker.` })];
    return news.map((article) => {
      const title = textMember(article, 'title');
      const link = textMember(article, 'link');
      return new Data({
        title,
        link,
        publisher: textMember(article, 'publisher'),
        text: `${title}\n${link}`,
      });
    });
  },
});
