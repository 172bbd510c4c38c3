import { isDict, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { callNotion, encodePathSegment } from '../integrations/notion/call-notion';
import { defineNotion } from './define-notion';
import { markdownBlocks } from '../integrations/notion/markdown-blocks';

/** The maximum number of blocks in one request to Notion. */
const maximumBlocks = 100;

export default defineNotion({
  type: 'AddContentToPage',
  displayName: 'Add Content to Page',
  description: 'Appends Markdown to a page of Notion.',
  inputs: {
    markdown_text: text({ displayName: 'Markdown Text', multiline: true, required: true, tool: true }),
    block_id: text({ displayName: 'Page/Block ID', required: true, tool: true }),
  },
  toolName: 'add_notion_content',
  givesOne: true,
  textOf: (error) => `Error: Failed to add content to Notion page. ${error}`,
  do: async ({ markdown_text, block_id }, secret, context) => {
    const blocks = markdownBlocks(markdown_text);
    const path = `blocks/${encodePathSegment(block_id)}/children`;
    const added: Data[] = [];
    for (let index = 0; index < blocks.length; index += maximumBlocks) {
      const json = { children: blocks.slice(index, index + maximumBlocks) };
      const answer = await context.effect('append', () =>
        callNotion(secret, path, { method: 'PATCH', json }, context),
      );
      added.push(
        new Data({ ...(isDict(answer) ? answer : {}), text: `Added ${json.children.length} blocks.` }),
      );
    }
    return added;
  },
});
