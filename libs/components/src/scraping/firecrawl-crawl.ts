import { ComponentError, data, defineComponent, integer, jsonValue, secret, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../integrations/http/json-members';
import { pause } from '../integrations/http/pause';
import { callFirecrawl } from '../integrations/firecrawl/call-firecrawl';

const pollMilliseconds = 1000;
const maximumPages = 200;

export default defineComponent({
  type: 'FirecrawlCrawlApi',
  displayName: 'Firecrawl Crawl API',
  description: 'Crawls a web site with Firecrawl and returns its pages.',
  inputs: {
    api_key: secret({ displayName: 'API Key', required: true }),
    url: text({ displayName: 'URL', multiline: true, required: true, tool: true }),
    timeout: integer({ displayName: 'Timeout' }),
    idempotency_key: text({ displayName: 'Idempotency Key', plain: true }),
    crawlerOptions: data({ displayName: 'Crawler Options' }),
    scrapeOptions: data({ displayName: 'Scrape Options' }),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data', method: 'crawl' } },
  deterministic: false,
  run: async ({ api_key, url, idempotency_key, crawlerOptions, scrapeOptions }, context) => {
    const json = {
      maxDepth: 2,
      limit: maximumPages,
      allowExternalLinks: false,
      allowBackwardLinks: false,
      ignoreSitemap: false,
      ...(jsonValue(crawlerOptions.data) as object),
      scrapeOptions: { onlyMainContent: true, ...(jsonValue(scrapeOptions.data) as object) },
      url,
    };
    const headers: Readonly<Record<string, string>> =
      idempotency_key === '' ? {} : { 'x-idempotency-key': idempotency_key };
    const call = { method: 'POST', json, headers };
    const job = await context.effect('crawl', async () =>
      textMember(await callFirecrawl(api_key, 'crawl', call, context), 'id'),
    );
    const pages = await crawled(api_key, job, context);
    const results = { status: 'completed', total: pages.length, data: pages };
    const result = new Data({ results });
    context.status(result);
    return { data: result };
  },
});

/** Waits for a crawl and returns all its pages. */
async function crawled(
  apiKey: string,
  job: string,
  context: ComponentContext,
): Promise<readonly PythonObject[]> {
  const path = `crawl/${encodeURIComponent(job)}`;
  let answer: PythonValue = null;
  do {
    if (answer !== null) await pause(pollMilliseconds, context.signal);
    answer = await callFirecrawl(apiKey, path, {}, context);
    const status = textMember(answer, 'status');
    if (status === 'failed' || status === 'cancelled')
      throw new ComponentError(`Firecrawl: the crawl has ${status}.`);
  } while (textMember(answer, 'status') !== 'completed');
  const pages = [...objectsMember(answer, 'data')];
  for (
    let skip = pages.length;
    member(answer, 'next') !== null && skip < maximumPages * 5;
    skip = pages.length
  ) {
    answer = await callFirecrawl(apiKey, `${path}?skip=${skip}`, {}, context);
    const further = objectsMember(answer, 'data');
    if (further.length === 0) break;
    pages.push(...further);
  }
  return pages;
}
