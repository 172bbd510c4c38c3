import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { callText } from '../../integrations/http/call-service';
import { readAddress } from '../../integrations/web-pages/read-address';
import { readFeed } from '../../parsing/markup/feed';
import { firstOf, truncate } from './result-limits';
import type { ResultLimits } from './result-limits';

/** Returns rows of title, link, published and summary, unchanged from a feed. */
export async function readRss(
  address: string,
  limits: ResultLimits,
  timeoutMilliseconds: number,
  context: ComponentContext,
): Promise<readonly PythonObject[]> {
  if (address.trim() === '') throw new ComponentError('No RSS URL provided');
  const [, scheme = ''] = /^([a-z][a-z\d+.-]*):/i.exec(address.trimStart()) ?? [];
  if (!/^https?$/i.test(scheme))
    throw new ComponentError(
      `Invalid URL scheme '${scheme.toLowerCase()}'. Only http and https are allowed.`,
    );
  const url = readAddress(address);
  const xml = await callText({ service: url.host, url: url.href, timeoutMilliseconds }, context);
  if (xml.trim() === '') throw new ComponentError('Empty response received');
  const articles = firstOf(await readFeed(xml, context.signal), limits);
  return articles.map((article) =>
    Object.fromEntries(
      Object.entries(article).map(([name, text]: [string, string]) => [
        name,
        truncate(text, limits.characters),
      ]),
    ),
  );
}
