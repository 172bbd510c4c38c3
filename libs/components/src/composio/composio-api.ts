import { defineComponent, isDict, listOf, secret, sortableList, text } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { composioActions } from '../integrations/composio/composio-client';
import { chosenActions, composioTools } from '../integrations/composio/composio-tools';

export default defineComponent({
  type: 'ComposioAPI',
  aliases: ['ComposioAPIComponent'],
  displayName: 'Composio Tools',
  description: 'Provides actions in applications as tools for an agent, through Composio.',
  inputs: {
    entity_id: text({ displayName: 'Entity ID', default: 'default', advanced: true }),
    api_key: secret({ displayName: 'Composio API Key', required: true }),
    tool_name: text({ displayName: 'Tool Name', plain: true }),
    actions: sortableList({ displayName: 'Actions', options: [] }),
    app_names: text({ displayName: 'App Name of earlier versions', plain: true }),
    action_names: listOf(text({ displayName: 'Actions of earlier versions', plain: true })),
  },
  outputs: { tools: { types: ['Tool'], displayName: 'Tools' } },
  deterministic: false,
  run: async ({ entity_id, api_key, actions, action_names }, context) => {
    const access = { apiKey: api_key, userId: entity_id };
    // Old files hide the field when its options are missing, but still contain its value.
    const saved = namesOf(context.fields['actions'] ?? null);
    const names = [...new Set([...actions, ...saved, ...action_names])];
    if (names.length === 0) return { tools: [] };
    const found = await composioActions(access, { slugs: names }, context);
    return { tools: composioTools(chosenActions(found, names), access, context) };
  },
});

function namesOf(value: PythonValue): readonly string[] {
  const items: readonly PythonValue[] = Array.isArray(value) ? value : [];
  return items.flatMap((item) => {
    const name = isDict(item) ? item['name'] : item;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
}
