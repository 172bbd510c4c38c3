import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { callHttp } from '../http/call-http';
import { callText } from '../http/call-service';
import { browserHeaders } from '../http/browser-headers';

/** The credentials that Yahoo requires with a request: a cookie and its crumb. */
export interface YahooSession {
  readonly headers: Readonly<Record<string, string>>;
  readonly crumb: string;
}

/** Requests a cookie and a crumb from Yahoo, as a browser does. */
export async function openYahooSession(context: ComponentContext): Promise<YahooSession> {
  // The page itself returns an error, but sets the cookie.
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
    throw new ComponentError('Yahoo Finance did not issue a session; try again later.');
  return { headers: withCookie, crumb };
}
