import { isDict, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { textMember } from '../integrations/http/json-members';
import { callNotion, encodePathSegment, parseObject } from '../integrations/notion/call-notion';
import { defineNotion } from './define-notion';

export default defineNotion({
  type: 'NotionPageUpdate',
  displayName: 'Update Page Property',
  description: 'Updates the properties of a page of Notion.',
  inputs: {
    page_id: text({ displayName: 'Page ID', required: true, tool: true }),
    properties: text({
      displayName: 'Properties',
      description: 'The properties to change, as JSON.',
      required: true,
      tool: true,
    }),
  },
  toolName: 'update_notion_page',
  givesOne: true,
  textOf: (error) => `An error occurred while making the request: ${error}`,
  do: async ({ page_id, properties }, secret, context) => {
    const json = { properties: parseObject(properties, 'properties') };
    const page = await callNotion(
      secret,
      `pages/${encodePathSegment(page_id)}`,
      { method: 'PATCH', json },
      context,
    );
    const changed = isDict(page) ? page : {};
    return [new Data({ ...changed, text: `Updated page with ID: ${textMember(page, 'id')}` })];
  },
});
