import type { ComponentContext } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { callText } from '../../integrations/http/call-service';
import { plainText, readFeed } from '../../parsing/markup/feed';
import { newsAddress } from '../../integrations/google-news/news-address';
import type { NewsQuery } from '../../integrations/google-news/news-address';
import { firstOf, truncate } from './result-limits';
import type { ResultLimits } from './result-limits';

const empty = { link: '', published: '', summary: '' };

/** Returns rows of title, link, published and summary, from Google News. */
export async function searchNews(
  query: NewsQuery,
  limits: ResultLimits,
  timeoutMilliseconds: number,
  context: ComponentContext,
): Promise<readonly PythonObject[]> {
  const url = newsAddress(query);
  if (url === null) {
    context.status('No search query, topic, or location provided.');
    return [{ ...empty, title: 'Error', summary: 'No search parameters provided' }];
  }
  const xml = await callText({ service: 'Google News', url: url.href, timeoutMilliseconds }, context);
  const articles = firstOf(await readFeed(xml, context.signal), limits);
  if (articles.length === 0) {
    context.status('No news articles found.');
    return [{ title: 'No articles found', ...empty }];
  }
  return Promise.all(
    articles.map(async ({ title, link, published, summary }) => ({
      title: truncate(await plainText(title, context.signal), limits.characters),
      link: truncate(link, limits.characters),
      published: truncate(published, limits.characters),
      summary: truncate(await plainText(summary, context.signal), limits.characters),
    })),
  );
}
