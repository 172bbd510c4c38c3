import type * as htmlparser2 from 'htmlparser2';
import { inSlices } from '../text/in-slices';
import type { Sliceable } from '../text/in-slices';

/** A parsed document or an element in it. */
export type Markup = htmlparser2.DomHandler['root'] | MarkupElement;
type MarkupNode = htmlparser2.DomHandler['root']['childNodes'][number];
export type MarkupElement = Extract<MarkupNode, { attribs: unknown }>;

/** How many characters are read before the work may be left off. */
const charactersPerStep = 16_384;

/** Reads HTML as browsers do: whatever it is, something comes out. In slices when it is long. */
export async function parseHtml(text: string, signal: AbortSignal): Promise<Markup> {
  return inSlices(parsed(await import('htmlparser2'), text, { xmlMode: false }), signal);
}

/** Reads XML leniently; names keep their case. In slices when it is long. */
export async function parseXml(text: string, signal: AbortSignal): Promise<Markup> {
  return inSlices(parsed(await import('htmlparser2'), text, { xmlMode: true }), signal);
}

function* parsed(
  { DomHandler, Parser }: typeof htmlparser2,
  text: string,
  options: { readonly xmlMode: boolean },
): Sliceable<Markup> {
  const handler = new DomHandler(undefined, options);
  const parser = new Parser(handler, options);
  for (let offset = 0; offset < text.length; offset += charactersPerStep) {
    parser.write(text.slice(offset, offset + charactersPerStep));
    yield;
  }
  parser.end();
  return handler.root;
}

/** True for an element, of this name if one is given. */
export function isElement(node: MarkupNode, name?: string): node is MarkupElement {
  return 'attribs' in node && (name === undefined || node.name === name);
}

/** Every element below a node that fits, in the order of the text. */
export function elements(root: Markup, fits: (element: MarkupElement) => boolean): readonly MarkupElement[] {
  const found: MarkupElement[] = [];
  visit(root, (node) => {
    if (isElement(node) && fits(node)) found.push(node);
    return true;
  });
  return found;
}

/** The first element below a node with this name. */
export function firstElement(root: Markup, name: string): MarkupElement | undefined {
  return elements(root, (element) => element.name === name)[0];
}

/** True when the element is of this class, among others. */
export function hasClass(element: MarkupElement, name: string): boolean {
  return (element.attribs['class'] ?? '').split(/\s+/).includes(name);
}

/** The pieces of text below a node, without those of elements that `enters` refuses. */
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

/** Visits all nodes below one, parents first, children only where `visitor` says so. Deep documents do no harm. */
function visit(root: Markup, visitor: (node: MarkupNode) => boolean): void {
  const waiting: MarkupNode[] = [...root.childNodes].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const enters = visitor(node);
    if (!enters || !('childNodes' in node)) continue;
    for (let index = node.childNodes.length - 1; index >= 0; index -= 1) {
      const child = node.childNodes[index];
      if (child !== undefined) waiting.push(child);
    }
  }
}
