import { markdownBlocks } from '../integrations/notion/markdown-blocks';
import { startNotion } from '../integrations/notion/notion-server.fixture';
import { dataOf } from './notion.fixture';

test('appends Markdown, a hundred blocks at a time', async () => {
  const server = await startNotion();
  const add = (markdown_text: string, block_id = 'p-1') =>
    dataOf(server, 'AddContentToPage', { markdown_text, block_id });
  expect(await add(Array.from({ length: 101 }, (_, index) => `line ${index}`).join('\n'))).toMatchObject([
    { data: { text: 'Added 100 blocks.' } },
    { data: { text: 'Added 1 blocks.' } },
  ]);
  expect(await add('x', 'p-9')).toMatchObject([
    { data: { text: expect.stringContaining('Could not find /v1/blocks/p-9/children.') as unknown } },
  ]);
  await server.close();
});

test.each([
  ['# One', 'heading_1', 'One'],
  ['#### Four', 'heading_3', 'Four'],
  ['- item', 'bulleted_list_item', 'item'],
  ['2. item', 'numbered_list_item', 'item'],
  ['> said', 'quote', 'said'],
  ['plain #words', 'paragraph', 'plain #words'],
  ['```js\na\n\nb\n```', 'code', 'a\n\nb'],
  ['```\nopen', 'code', 'open'],
])('%j is a %s', (markdown, type, content) => {
  expect(markdownBlocks(markdown)).toMatchObject([{ type, [type]: { rich_text: [{ text: { content } }] } }]);
});

test('splits long texts into pieces; rules have no text', () => {
  expect(markdownBlocks('x'.repeat(2001))).toMatchObject([
    { paragraph: { rich_text: [{}, { text: { content: 'x' } }] } },
  ]);
  expect(markdownBlocks('---\n\n')).toEqual([{ object: 'block', type: 'divider', divider: {} }]);
});
