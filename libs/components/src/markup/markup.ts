import type { DomHandler } from 'htmlparser2';

/** A parsed document or an element in it. */
export type Markup = DomHandler['root'] | MarkupElement;
type MarkupNode = DomHandler['root']['childNodes'][number];
export type MarkupElement = Extract<MarkupNode, { attribs: unknown }>;

/** Reads HTML as browsers do: whatever it is, something comes out. */
export async function parseHtml(text: string): Promise<Markup> {
  const { parseDocument } = await import('htmlparser2');
  return parseDocument(text);
}

/** Reads XML leniently; names keep their case. */
export async function parseXml(text: string): Promise<Markup> {
  const { parseDocument } = await import('htmlparser2');
  return parseDocument(text, { xmlMode: true });
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
