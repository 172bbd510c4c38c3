import { cleanString } from '@millrace/python-text';
import { elements, firstElement, parseHtml, parseXml, texts } from './markup';
import type { Markup, MarkupElement } from './markup';
import { htmlWords } from './html-text';

/** An entry of a feed. */
export interface Article {
  readonly title: string;
  readonly link: string;
  readonly published: string;
  readonly summary: string;
}

/** Returns the entries of an RSS feed or an Atom feed. */
export async function readFeed(xml: string, signal: AbortSignal): Promise<readonly Article[]> {
  const feed = await parseXml(xml, signal);
  const items = outermost(feed, 'item');
  if (items.length > 0) return items.map(articleOf);
  return outermost(feed, 'entry').map(entryOf);
}

/** An element within another one of its name would be read again for each of those around it. */
function outermost(root: Markup, wanted: string): readonly MarkupElement[] {
  return elements(
    root,
    ({ name }) => name === wanted,
    ({ name }) => name !== wanted,
  );
}

/** Returns the plain text of a text that can be HTML. */
export async function plainText(html: string, signal: AbortSignal): Promise<string> {
  return cleanString(htmlWords(await parseHtml(html, signal)));
}

function articleOf(item: Markup): Article {
  return {
    title: textOf(firstElement(item, 'title')),
    link: textOf(firstElement(item, 'link')),
    published: textOf(firstElement(item, 'pubDate')),
    summary: textOf(firstElement(item, 'description')),
  };
}

function entryOf(entry: Markup): Article {
  return {
    title: textOf(firstElement(entry, 'title')),
    link: firstElement(entry, 'link')?.attribs['href'] ?? '',
    published: textOf(firstElement(entry, 'published') ?? firstElement(entry, 'updated')),
    summary: textOf(firstElement(entry, 'summary') ?? firstElement(entry, 'content')),
  };
}

function textOf(element: MarkupElement | undefined): string {
  return element === undefined ? '' : texts(element).join('');
}
