import { dropdown, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../integrations/http/json-members';
import { callNotion } from '../integrations/notion/call-notion';
import { defineNotion } from './define-notion';

export default defineNotion({
  type: 'NotionSearch',
  displayName: 'Search',
  description: 'Searches the pages and databases that are shared with a Notion integration.',
  inputs: {
    query: text({ displayName: 'Search Query', tool: true }),
    filter_value: dropdown({ displayName: 'Filter Type', options: ['page', 'database'], default: 'page' }),
    sort_direction: dropdown({
      displayName: 'Sort Direction',
      options: ['ascending', 'descending'],
      default: 'descending',
    }),
  },
  toolName: 'notion_search',
  do: async ({ query, filter_value, sort_direction }, secret, context) => {
    const json = {
      query,
      filter: { value: filter_value, property: 'object' },
      sort: { direction: sort_direction, timestamp: 'last_edited_time' },
    };
    const answer = await callNotion(secret, 'search', { method: 'POST', json, repeatable: true }, context);
    return objectsMember(answer, 'results').map((found) => {
      const { id = null, object: type = null, last_edited_time = null, url = null } = found;
      const title = titleOf(found);
      const data = { id, type, last_edited_time, title, url };
      return new Data({
        ...data,
        text: `id: ${textMember(found, 'id')}\ntype: ${textMember(found, 'object')}\ntitle: ${title}`,
      });
    });
  },
});

/** A database contains its title directly, a page in its one property of that type. */
function titleOf(found: PythonObject): string {
  if (textMember(found, 'object') === 'database') return plainText(found, 'title');
  const properties = Object.values((member(found, 'properties') ?? {}) as PythonObject);
  const title = properties.find((property) => textMember(property, 'type') === 'title');
  return title === undefined ? '' : plainText(title, 'title');
}

/** Returns the plain text of one of Notion's rich texts. */
function plainText(value: PythonValue, ...path: readonly string[]): string {
  return objectsMember(value, ...path)
    .map((piece) => textMember(piece, 'plain_text') || textMember(piece, 'text', 'content'))
    .join('');
}
