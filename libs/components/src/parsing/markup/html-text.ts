import { texts } from './markup';
import type { Markup, MarkupElement } from './markup';

/** Elements whose text is not displayed. */
const hiddenElements: ReadonlySet<string> = new Set(['script', 'style', 'template', 'rt', 'rp']);

/** Returns all text between the tags unchanged, without scripts and styles. */
export function htmlText(root: Markup): string {
  return texts(root, isSeen).join('');
}

/** Returns the same text, each piece trimmed and joined by single spaces. */
export function htmlWords(root: Markup): string {
  return texts(root, isSeen)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .join(' ');
}

function isSeen({ name }: MarkupElement): boolean {
  return !hiddenElements.has(name);
}
