/** A block of a page in Notion's format. */
export type NotionBlock = Readonly<Record<string, unknown>>;

const maximumCharacters = 2000;

/** Converts Markdown to blocks: headings, lists, quotes, rules, code and paragraphs; their texts are not converted. */
export function markdownBlocks(markdown: string): readonly NotionBlock[] {
  const blocks: NotionBlock[] = [];
  let code: string[] | null = null;
  for (const line of markdown.split('\n')) {
    if (line.trimStart().startsWith('```')) {
      if (code !== null) blocks.push(block('code', code.join('\n'), { language: 'plain text' }));
      code = code === null ? [] : null;
    } else if (code !== null) code.push(line);
    else if (line.trim() !== '') blocks.push(lineBlock(line.trim()));
  }
  if (code !== null) blocks.push(block('code', code.join('\n'), { language: 'plain text' }));
  return blocks;
}

function lineBlock(line: string): NotionBlock {
  if (/^(-{3,}|\*{3,})$/.test(line)) return { object: 'block', type: 'divider', divider: {} };
  const [, mark = '', rest = ''] = /^(#{1,6}|[-*+]|\d+\.|>)\s+(?!\s)(.*)$/.exec(line) ?? [];
  if (mark === '') return block('paragraph', line);
  if (mark.startsWith('#')) return block(`heading_${Math.min(3, mark.length)}`, rest);
  if (mark === '>') return block('quote', rest);
  return block(/^\d/.test(mark) ? 'numbered_list_item' : 'bulleted_list_item', rest);
}

function block(type: string, text: string, further: Readonly<Record<string, unknown>> = {}): NotionBlock {
  const rich_text: object[] = [];
  for (let start = 0; start < text.length; start += maximumCharacters)
    rich_text.push({ type: 'text', text: { content: text.slice(start, start + maximumCharacters) } });
  return { object: 'block', type, [type]: { rich_text, ...further } };
}
