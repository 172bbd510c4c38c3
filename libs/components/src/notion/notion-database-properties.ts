import { Data, isDict, str, text } from '@millrace/flow';
import { member } from '../http/json-members';
import { callNotion, pathPart } from './call-notion';
import { defineNotion } from './define-notion';

export default defineNotion({
  type: 'NotionDatabaseProperties',
  displayName: 'List Database Properties',
  description: 'Tells which properties the pages of a database of Notion have.',
  inputs: { database_id: text({ displayName: 'Database ID', required: true, tool: true }) },
  toolName: 'notion_database_properties',
  do: async ({ database_id }, secret, context) => {
    const answer = await callNotion(secret, `databases/${pathPart(database_id)}`, {}, context);
    const properties = member(answer, 'properties');
    return [new Data({ ...(isDict(properties) ? properties : {}), text: str(properties) })];
  },
});
