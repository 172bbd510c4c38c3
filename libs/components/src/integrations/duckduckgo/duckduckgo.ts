import type { ComponentContext } from '@millrace/flow';
import { callText } from '../http/call-service';
import { htmlText } from '../../parsing/markup/html-text';
import { elements, hasClass, parseHtml } from '../../parsing/markup/markup';
import type { Markup } from '../../parsing/markup/markup';
import { browserHeaders } from '../http/browser-headers';

export interface WebResult {
  readonly title: string;
  readonly link: string;
  readonly snippet: string;
}

/** Returns DuckDuckGo's results, from its page for browsers without scripts. */
export async function searchDuckDuckGo(
  query: string,
  timeoutMilliseconds: number,
  context: ComponentContext,
): Promise<readonly WebResult[]> {
  const page = await callText(
    {
      service: 'DuckDuckGo',
      url: 'https://html.duckduckgo.com/html/',
      query: { q: query, kl: 'us-en' },
      headers: browserHeaders,
      timeoutMilliseconds,
    },
    context,
  );
  const results = elements(
    await parseHtml(page, context.signal),
    (element) => element.name === 'div' && hasClass(element, 'result'),
  );
  return results.flatMap((result) => {
    const title = linkOfClass(result, 'result__a');
    const snippet = linkOfClass(result, 'result__snippet');
    if (title === undefined) return [];
    return [
      {
        title: htmlText(title).trim(),
        link: target(title.attribs['href'] ?? ''),
        snippet: snippet === undefined ? '' : htmlText(snippet).trim(),
      },
    ];
  });
}

function linkOfClass(result: Markup, name: string) {
  return elements(result, (element) => element.name === 'a' && hasClass(element, name))[0];
}

/** Links lead to a redirect page of DuckDuckGo with the real address as a parameter. */
function target(href: string): string {
  const base = 'https://duckduckgo.com';
  if (!URL.canParse(href, base)) return href;
  return new URL(href, base).searchParams.get('uddg') ?? href;
}
