import { elements } from '../../parsing/markup/markup';
import type { Markup } from '../../parsing/markup/markup';

const noPages = /\.(css|js|ico|png|jpe?g|gif|svg|csv|bz2|zip|epub)$/i;

/** Returns the pages that a page links to, each once, in document order, without fragments. */
export function pageLinks(page: Markup, address: URL): readonly URL[] {
  const found = new Map<string, URL>();
  for (const { attribs } of elements(page, ({ attribs: { href } }) => href !== undefined)) {
    const href = (attribs['href'] ?? '').trim();
    if (href === '' || href.startsWith('#') || !URL.canParse(href, address.href)) continue;
    const link = new URL(href, address);
    link.hash = '';
    if (!/^https?:$/.test(link.protocol) || noPages.test(link.pathname)) continue;
    found.set(link.href, link);
  }
  return [...found.values()];
}
