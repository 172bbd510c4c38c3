import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { callHttp } from '../http/call-http';
import { callText } from '../http/call-service';
import { browserHeaders } from '../search/browser-headers';

/** What Yahoo wants to see with a question: a cookie, and the crumb that belongs to it. */
export interface YahooSession {
  readonly headers: Readonly<Record<string, string>>;
  readonly crumb: string;
}

/** Lets Yahoo hand out a cookie and a crumb, as it does to every browser. */
export async function openYahooSession(context: ComponentContext): Promise<YahooSession> {
  // The page itself is an error; its cookie is what counts.
  const url = new URL('https://fc.yahoo.com/');
  const { headers } = await callHttp({ service: 'Yahoo Finance', url, headers: browserHeaders }, context);
  const cookie = headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .join('; ');
  const withCookie = { ...browserHeaders, cookie };
  const crumb = await callText(
    {
      service: 'Yahoo Finance',
      url: 'https://query1.finance.yahoo.com/v1/test/getcrumb',
      headers: withCookie,
      secrets: [cookie],
    },
    context,
  );
  if (crumb === '' || crumb.includes('<'))
    throw new ComponentError('Yahoo Finance lets nobody in at the moment.');
  return { headers: withCookie, crumb };
}
