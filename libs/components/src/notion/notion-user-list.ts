import { Data } from '@millrace/python-text';
import { objectsMember, textMember } from '../integrations/http/json-members';
import { callNotion } from '../integrations/notion/call-notion';
import { defineNotion } from './define-notion';

export default defineNotion({
  type: 'NotionUserList',
  displayName: 'List Users',
  description: 'Lists the users of a workspace of Notion.',
  inputs: {},
  toolName: 'notion_list_users',
  do: async (_inputs, secret, context) => {
    const answer = await callNotion(secret, 'users', { query: { page_size: 100 } }, context);
    return objectsMember(answer, 'results').map((user) => {
      const { id = null, type = null, name = null, avatar_url = null } = user;
      return new Data({
        id,
        type,
        name,
        avatar_url,
        text: `id: ${textMember(user, 'id')}\nname: ${textMember(user, 'name')}`,
      });
    });
  },
});
