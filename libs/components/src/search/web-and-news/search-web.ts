import type { ComponentContext } from '@millrace/flow';
import { ComponentError } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { callHttp } from '../../integrations/http/call-http';
import { decodeText } from '../../integrations/http/decode-text';
import { HttpFailure } from '../../integrations/http/http-failure';
import { serviceError } from '../../integrations/http/service-error';
import { htmlWords } from '../../parsing/markup/html-text';
import { parseHtml } from '../../parsing/markup/markup';
import { batches } from '../../integrations/http/batches';
import { readAddress } from '../../integrations/web-pages/read-address';
import { browserHeaders } from '../../integrations/http/browser-headers';
import { searchDuckDuckGo } from '../../integrations/duckduckgo/duckduckgo';
import type { WebResult } from '../../integrations/duckduckgo/duckduckgo';
import { firstOf, truncate } from './result-limits';
import type { ResultLimits } from './result-limits';

/** A page can have 10 MiB and takes a multiple of that while it is parsed. */
const concurrentPages = 5;

/** Returns rows of title, link, snippet and the page's own text, or the reason why it could not be loaded. */
export function searchWeb(
  query: string,
  limits: ResultLimits,
  timeoutMilliseconds: number,
  context: ComponentContext,
): Promise<readonly PythonObject[]> {
  const words = query.trim().replace(/[<>"']/g, '');
  // As in Langflow, this alone fails the vertex.
  if (words === '') throw new ComponentError('Empty search query');
  return searchWords(words, limits, timeoutMilliseconds, context);
}

async function searchWords(
  words: string,
  limits: ResultLimits,
  timeoutMilliseconds: number,
  context: ComponentContext,
): Promise<readonly PythonObject[]> {
  const found = await searchDuckDuckGo(words, timeoutMilliseconds, context);
  const read = async (result: WebResult): Promise<PythonObject> => {
    const content = await pageText(result.link, timeoutMilliseconds, context);
    return { ...result, content: truncate(content, limits.characters) };
  };
  const rows: PythonObject[] = [];
  for (const batch of batches(firstOf(found, limits), concurrentPages)) {
    rows.push(...(await Promise.all(batch.map(read))));
  }
  return rows;
}

async function pageText(
  link: string,
  timeoutMilliseconds: number,
  context: ComponentContext,
): Promise<string> {
  try {
    const url = readAddress(link);
    const answer = await callHttp(
      { service: url.host, url, headers: browserHeaders, timeoutMilliseconds },
      context,
    );
    if (answer.status >= 400) throw serviceError(url.host, answer);
    return htmlWords(await parseHtml(decodeText(answer), context.signal));
  } catch (error) {
    if (!(error instanceof ComponentError)) throw error;
    return error instanceof HttpFailure && error.reason === 'refused'
      ? `(Blocked by SSRF protection: ${error.detail})`
      : `(Failed to fetch: ${error.message})`;
  }
}
