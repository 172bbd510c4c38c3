import { data, defineComponent, integer, isDict, jsonValue, secret, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { member } from '../integrations/http/json-members';
import { callFirecrawl } from '../integrations/firecrawl/call-firecrawl';

export default defineComponent({
  type: 'FirecrawlScrapeApi',
  displayName: 'Firecrawl Scrape API',
  description: 'Reads the content of a web page with Firecrawl.',
  inputs: {
    api_key: secret({ displayName: 'Firecrawl API Key', required: true }),
    url: text({ displayName: 'URL', multiline: true, required: true, tool: true }),
    timeout: integer({ displayName: 'Timeout' }),
    scrapeOptions: data({ displayName: 'Scrape Options' }),
    pageOptions: data({ displayName: 'Page Options of earlier versions' }),
    extractorOptions: data({ displayName: 'Extractor Options' }),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data', method: 'scrape' } },
  deterministic: false,
  run: async ({ api_key, url, timeout, scrapeOptions, pageOptions, extractorOptions }, context) => {
    const extract = jsonValue(extractorOptions.data) as object;
    const json = {
      formats: ['markdown'],
      onlyMainContent: true,
      ...(jsonValue({ ...pageOptions.data, ...scrapeOptions.data }) as object),
      ...(Object.keys(extract).length === 0 ? {} : { extract }),
      ...(timeout !== null && timeout > 0 ? { timeout } : {}),
      url,
    };
    const answer = await callFirecrawl(
      api_key,
      'scrape',
      { method: 'POST', json, repeatable: true },
      context,
    );
    const page = member(answer, 'data');
    const result = new Data(isDict(page) ? page : {});
    context.status(result);
    return { data: result };
  },
});
