import { cleanString } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { decodeText } from '../http/decode-text';
import type { HttpAnswer } from '../http/http-call';
import { htmlMarkdown } from '../../parsing/markup/html-markdown';
import { htmlText } from '../../parsing/markup/html-text';
import { elements, firstElement, parseHtml } from '../../parsing/markup/markup';
import type { Markup } from '../../parsing/markup/markup';

/** A page as a row of a table: text, url, title, description, content_type and language. */
export type PageRow = PythonObject & { readonly text: string };

/** Reads a page as HTML, Markdown or, for any other format, as text. */
export async function readPage(
  answer: HttpAnswer,
  address: URL,
  format: string,
  signal: AbortSignal,
): Promise<{ readonly row: PageRow; readonly markup: Markup }> {
  const source = decodeText(answer);
  const markup = await parseHtml(source, signal);
  const row = {
    text: cleanString(textOf(markup, source, format)),
    url: address.href,
    ...descriptionOf(markup),
    content_type: answer.headers.get('content-type') ?? '',
    language: languageOf(markup),
  };
  return { row, markup };
}

function textOf(markup: Markup, source: string, format: string): string {
  switch (format) {
    case 'HTML':
    case 'Raw HTML':
      return source;
    case 'Markdown':
      return htmlMarkdown(markup);
    default:
      return htmlText(markup);
  }
}

function descriptionOf(markup: Markup): { readonly title: string; readonly description: string | null } {
  const title = firstElement(markup, 'title');
  const [meta] = elements(
    markup,
    ({ name, attribs }) => name === 'meta' && attribs['name'] === 'description',
  );
  return {
    title: title === undefined ? '' : htmlText(title),
    description: meta === undefined ? '' : (meta.attribs['content'] ?? null),
  };
}

function languageOf(markup: Markup): string {
  const html = firstElement(markup, 'html');
  return html?.attribs['lang'] ?? '';
}
