import { isDict, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { textMember } from '../integrations/http/json-members';
import { callNotion, parseObject } from '../integrations/notion/call-notion';
import { defineNotion } from './define-notion';

export default defineNotion({
  type: 'NotionPageCreator',
  displayName: 'Create Page',
  description: 'Creates a page in a database of Notion.',
  inputs: {
    database_id: text({ displayName: 'Database ID', required: true, tool: true }),
    properties_json: text({
      displayName: 'Properties (JSON)',
      description: 'The properties of the page as JSON.',
      required: true,
      tool: true,
    }),
  },
  toolName: 'create_notion_page',
  givesOne: true,
  textOf: (error) => `Failed to create Notion page. Error: ${error}`,
  do: async ({ database_id, properties_json }, secret, context) => {
    const properties = parseObject(properties_json, 'properties');
    const json = { parent: { database_id }, properties };
    const page = await context.effect('create', () =>
      callNotion(secret, 'pages', { method: 'POST', json }, context),
    );
    const created = isDict(page) ? page : {};
    return [new Data({ ...created, text: `Created page with ID: ${textMember(page, 'id')}` })];
  },
});
