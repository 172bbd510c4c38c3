import type * as htmlparser2 from 'htmlparser2';
import { runInSlices } from '../run-in-slices';
import type { InterruptibleWork } from '../run-in-slices';

/** A parsed document or an element in it. */
export type Markup = htmlparser2.DomHandler['root'] | MarkupElement;
type MarkupNode = htmlparser2.DomHandler['root']['childNodes'][number];
export type MarkupElement = Extract<MarkupNode, { attribs: unknown }>;

/** Number of characters that are parsed before the work can be interrupted. */
const charactersPerStep = 16_384;

/** Parses HTML as leniently as browsers do; never fails. Long documents are parsed in slices. */
export async function parseHtml(text: string, signal: AbortSignal): Promise<Markup> {
  return runInSlices(parsed(await import('htmlparser2'), text, { xmlMode: false }), signal);
}

/** Parses XML leniently; names keep their case. Long documents are parsed in slices. */
export async function parseXml(text: string, signal: AbortSignal): Promise<Markup> {
  return runInSlices(parsed(await import('htmlparser2'), text, { xmlMode: true }), signal);
}

function* parsed(
  { DomHandler, Parser }: typeof htmlparser2,
  text: string,
  options: { readonly xmlMode: boolean },
): InterruptibleWork<Markup> {
  const handler = new DomHandler(undefined, options);
  const parser = new Parser(handler, options);
  for (let offset = 0; offset < text.length; offset += charactersPerStep) {
    parser.write(text.slice(offset, offset + charactersPerStep));
    yield;
  }
  parser.end();
  return handler.root;
}

/** Returns true for an element, of this name if one is given. */
export function isElement(node: MarkupNode, name?: string): node is MarkupElement {
  return 'attribs' in node && (name === undefined || node.name === name);
}

/** Yields every matching element below a node, in document order, except those in elements that `enters` rejects. */
export function elements(
  root: Markup,
  fits: (element: MarkupElement) => boolean,
  enters: (element: MarkupElement) => boolean = () => true,
): readonly MarkupElement[] {
  const found: MarkupElement[] = [];
  visit(root, (node) => {
    if (isElement(node) && fits(node)) found.push(node);
    return !isElement(node) || enters(node);
  });
  return found;
}

/** Returns the first element below a node with this name. */
export function firstElement(root: Markup, name: string): MarkupElement | undefined {
  return elements(root, (element) => element.name === name)[0];
}

/** Returns true when the element has this class. */
export function hasClass(element: MarkupElement, name: string): boolean {
  return (element.attribs['class'] ?? '').split(/\s+/).includes(name);
}

/** Yields the texts below a node, except those of elements that `enters` rejects. */
export function texts(
  root: Markup,
  enters: (element: MarkupElement) => boolean = () => true,
): readonly string[] {
  const found: string[] = [];
  visit(root, (node) => {
    if (node.type === 'text') found.push(node.data);
    return !isElement(node) || enters(node);
  });
  return found;
}

/**
 * Visits all nodes below one, parents first; enters the children of a node only where `visitor` returns true. Not
 * recursive, so depth is not limited.
 */
function visit(root: Markup, visitor: (node: MarkupNode) => boolean): void {
  const pending: MarkupNode[] = [...root.childNodes].reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const enters = visitor(node);
    if (!enters || !('childNodes' in node)) continue;
    for (let index = node.childNodes.length - 1; index >= 0; index -= 1) {
      const child = node.childNodes[index];
      if (child !== undefined) pending.push(child);
    }
  }
}
