// No library: `turndown` needs a DOM and converts a page in one step; this uses the parsed tree and runs in slices.
import { elements, isElement, texts } from './markup';
import type { Markup, MarkupElement } from './markup';

type Node = Markup['childNodes'][number];

const dropped: ReadonlySet<string> = new Set([
  'head',
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'iframe',
]);
const blocks: ReadonlySet<string> = new Set([
  'p',
  'div',
  'section',
  'article',
  'main',
  'header',
  'footer',
  'nav',
  'aside',
  'form',
  'figure',
  'dl',
  'dd',
  'dt',
]);
/** The limit of nested elements; deeper ones are left out. */
const maximumDepth = 200;

/** Converts HTML to Markdown: headings, paragraphs, lists, links, images, tables, emphasis, quotes and code. */
export function htmlMarkdown(root: Markup): string {
  return joinedLines(childrenOf(root, 0));
}

/** Returns the text without trailing spaces and without consecutive empty lines. */
function joinedLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}

function childrenOf(node: Markup, depth: number): string {
  return depth > maximumDepth ? '' : node.childNodes.map((child) => markdownOf(child, depth + 1)).join('');
}

function markdownOf(node: Node, depth: number): string {
  if (node.type === 'text') return node.data.replace(/\s+/g, ' ');
  if (!isElement(node) || dropped.has(node.name)) return '';
  const inside = (): string => childrenOf(node, depth);
  const heading = /^h([1-6])$/.exec(node.name)?.[1];
  if (heading !== undefined) return block(`${'#'.repeat(Number(heading))} ${inside().trim()}`);
  if (blocks.has(node.name)) return block(inside().trim());
  return (special[node.name] ?? inside)(node, inside, depth);
}

type Writer = (element: MarkupElement, inside: () => string, depth: number) => string;

const emphasised =
  (mark: string): Writer =>
  (_element, inside) => {
    const text = inside();
    const word = text.trim();
    return word === '' ? text : text.replace(word, () => mark + word + mark);
  };

const special: Readonly<Record<string, Writer>> = {
  __proto__: null as unknown as Writer,
  br: () => '\n',
  hr: () => block('---'),
  strong: emphasised('**'),
  b: emphasised('**'),
  em: emphasised('*'),
  i: emphasised('*'),
  code: (element) => `\`${rawText(element)}\``,
  pre: (element) => block(`\`\`\`\n${rawText(element).replace(/\n$/, '')}\n\`\`\``),
  a: ({ attribs }, inside) => {
    const text = inside();
    const target = attribs['href'];
    return target === undefined || text.trim() === '' ? text : `[${text.trim()}](${target})`;
  },
  img: ({ attribs }) => `![${attribs['alt'] ?? ''}](${attribs['src'] ?? ''})`,
  blockquote: (_element, inside) => block(joinedLines(inside()).replace(/^/gm, '> ')),
  ul: (element, _inside, depth) => block(list(element, () => '* ', depth)),
  ol: (element, _inside, depth) => block(list(element, (index) => `${index + 1}. `, depth)),
  table: (element, _inside, depth) => block(table(element, depth)),
};

function list(element: MarkupElement, mark: (index: number) => string, depth: number): string {
  return element.childNodes
    .filter((child) => isElement(child, 'li'))
    .map((item, index) => {
      const text = childrenOf(item, depth)
        .trim()
        .replace(/\n{2,}/g, '\n');
      return mark(index) + text.replaceAll('\n', '\n  ');
    })
    .join('\n');
}

function table(element: MarkupElement, depth: number): string {
  // A table in a cell writes its rows itself.
  const isOutside = ({ name }: MarkupElement): boolean => name !== 'table';
  const rows = elements(element, ({ name }) => name === 'tr', isOutside).map((row) =>
    row.childNodes
      .filter((cell) => isElement(cell, 'td') || isElement(cell, 'th'))
      .map((cell) => childrenOf(cell, depth).trim().replace(/\s+/g, ' ').replaceAll('|', '\\|')),
  );
  const [head, ...body] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  if (head === undefined) return '';
  return [head, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`, ...body].join('\n');
}

function block(text: string): string {
  return text === '' ? '' : `\n\n${text}\n\n`;
}

function rawText(element: MarkupElement): string {
  return texts(element).join('');
}
