import {
  boolean,
  ComponentError,
  defineComponent,
  dropdown,
  float,
  integer,
  listOf,
  table,
  text,
} from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data, DataFrame, Message } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { HttpFailure } from '../integrations/http/http-failure';
import { crawl } from '../integrations/web-pages/crawl';
import type { Crawl } from '../integrations/web-pages/crawl';
import { headerRows } from './requests/header-rows';
import { readAddress } from '../integrations/web-pages/read-address';
import type { PageRow } from '../integrations/web-pages/web-page';

const pageLimit = 100;
const maximumDepth = 5;

export default defineComponent({
  type: 'URLComponent',
  aliases: ['URL'],
  displayName: 'URL',
  description: 'Reads web pages and the pages that they link to.',
  approximates: 'Text and Markdown of a page can differ from the original in white space.',
  inputs: {
    urls: listOf(text({ displayName: 'URLs', tool: true })),
    max_depth: float({ displayName: 'Depth', default: 1, slider: true }),
    prevent_outside: boolean({ displayName: 'Prevent Outside', default: true, advanced: true }),
    use_async: boolean({ displayName: 'Use Async', default: true, advanced: true }),
    follow_redirects: boolean({ displayName: 'Follow Redirects', default: true, advanced: true }),
    format: dropdown({
      displayName: 'Output Format',
      options: ['Text', 'HTML', 'Markdown'],
      default: 'Text',
      advanced: true,
    }),
    timeout: integer({ displayName: 'Timeout', default: 30, advanced: true }),
    headers: table({
      displayName: 'Headers',
      default: [{ key: 'User-Agent', value: 'Millrace/1.0' }],
      advanced: true,
    }),
    filter_text_html: boolean({ displayName: 'Filter Text/HTML', default: true, advanced: true }),
    continue_on_failure: boolean({ displayName: 'Continue on Failure', default: true, advanced: true }),
    check_response_status: boolean({ displayName: 'Check Response Status', advanced: true }),
    autoset_encoding: boolean({ displayName: 'Autoset Encoding', default: true, advanced: true }),
  },
  outputs: {
    page_results: { types: ['DataFrame', 'Table'], displayName: 'Extracted Pages', method: 'fetch_content' },
    raw_results: {
      types: ['Message'],
      displayName: 'Raw Content',
      method: 'fetch_content_as_message',
      tool: 'named',
    },
    data: { types: ['Data', 'JSON'], displayName: 'Data of earlier versions', tool: false },
    text: {
      types: ['Message'],
      displayName: 'Text of earlier versions',
      method: 'fetch_content_text',
      tool: 'named',
    },
    dataframe: {
      types: ['DataFrame', 'Table'],
      displayName: 'Table of earlier versions',
      method: 'as_dataframe',
      tool: 'named',
    },
    message: {
      types: ['Message'],
      displayName: 'Message of earlier versions',
      method: 'as_message',
      tool: 'named',
    },
  },
  deterministic: false,
  run: async ({ urls, ...settings }, context) => {
    const options = {
      depth: Math.min(maximumDepth, Math.max(1, Math.trunc(settings.max_depth))),
      preventOutside: settings.prevent_outside,
      format: settings.format,
      headers: headersOf(settings.headers),
      timeoutMilliseconds: Math.max(1, settings.timeout) * 1000,
      checkStatus: settings.check_response_status,
      continueOnFailure: settings.continue_on_failure,
    };
    const pages = await load(urls, options, context);
    const results = new DataFrame(pages);
    const whole = new Message({ text: pages.map((page) => page.text).join('\n\n') });
    return {
      page_results: results,
      raw_results: whole.with({ extra: { data: pages } }),
      data: pages.map((page) => new Data(page)),
      text: whole,
      dataframe: results,
      message: whole,
    };
  },
});

/** A row without a header's value is refused as in Langflow; one whose value is null is left out. */
function headersOf(rows: readonly PythonObject[]): Readonly<Record<string, string>> {
  const missing = ['key', 'value'].find((name) => rows.some((row) => !Object.hasOwn(row, name)));
  if (missing !== undefined) throw new ComponentError(`Error loading documents: '${missing}'`);
  return headerRows(rows);
}

/** Reads all pages of all addresses. Every failure is reported as a failure to load documents. */
async function load(
  urls: readonly string[],
  options: Omit<Crawl, 'start' | 'maximumPages'>,
  context: ComponentContext,
): Promise<readonly PageRow[]> {
  try {
    const addresses = new Map(
      urls.filter((url) => url.trim() !== '').map((url) => [readAddress(url).href, readAddress(url)]),
    );
    if (addresses.size === 0) throw new ComponentError('No valid URLs provided.');
    const pages: PageRow[] = [];
    for (const start of addresses.values()) {
      const maximumPages = pageLimit - pages.length;
      if (maximumPages > 0) pages.push(...(await crawl({ ...options, start, maximumPages }, context)));
    }
    if (pages.length === 0) throw new ComponentError('No documents were successfully loaded from any URL');
    return pages;
  } catch (error) {
    if (!(error instanceof ComponentError)) throw error;
    const isRefused = error instanceof HttpFailure && error.reason === 'refused';
    const reason = isRefused ? `SSRF Protection: ${error.detail}` : error.message;
    throw new ComponentError(`Error loading documents: ${reason}`, error);
  }
}
