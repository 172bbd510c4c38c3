import { isDict, text } from '@millrace/flow';
import { Data, str } from '@millrace/python-text';
import { member } from '../integrations/http/json-members';
import { callNotion, encodePathSegment } from '../integrations/notion/call-notion';
import { defineNotion } from './define-notion';

export default defineNotion({
  type: 'NotionDatabaseProperties',
  displayName: 'List Database Properties',
  description: 'Lists the properties that the pages of a Notion database have.',
  inputs: { database_id: text({ displayName: 'Database ID', required: true, tool: true }) },
  toolName: 'notion_database_properties',
  givesOne: true,
  textOf: (error) => `Error fetching Notion database properties: ${error}`,
  do: async ({ database_id }, secret, context) => {
    const answer = await callNotion(secret, `databases/${encodePathSegment(database_id)}`, {}, context);
    const properties = member(answer, 'properties');
    return [new Data({ ...(isDict(properties) ? properties : {}), text: str(properties) })];
  },
});
