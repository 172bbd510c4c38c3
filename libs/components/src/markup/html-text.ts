import { texts } from './markup';
import type { Markup, MarkupElement } from './markup';

/** Elements whose text nobody sees. */
const unseen: ReadonlySet<string> = new Set(['script', 'style', 'template', 'rt', 'rp']);

/** All text as it stands between the tags, without scripts and styles. */
export function htmlText(root: Markup): string {
  return texts(root, isSeen).join('');
}

/** The same text, each piece without white space around it, joined by single spaces. */
export function htmlWords(root: Markup): string {
  return texts(root, isSeen)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .join(' ');
}

function isSeen({ name }: MarkupElement): boolean {
  return !unseen.has(name);
}
