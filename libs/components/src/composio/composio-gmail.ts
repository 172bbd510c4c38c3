import { ComponentError, defineComponent, isDict, secret, sortableList, text } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data, DataFrame, Message, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { actionArguments } from '../integrations/composio/action-arguments';
import { composioAppTypes, composioToolkit } from '../integrations/composio/composio-apps';
import { composioActions, executeComposioAction } from '../integrations/composio/composio-client';
import type { ComposioAccess } from '../integrations/composio/composio-client';
import { chosenActions, composioTools, isNamed } from '../integrations/composio/composio-tools';

const maximumTools = 50;

export default defineComponent({
  type: 'ComposioGmailAPIComponent',
  aliases: composioAppTypes,
  displayName: 'Composio Application',
  description: 'Executes an action in an application, such as Gmail or Slack, through Composio.',
  inputs: {
    entity_id: text({ displayName: 'Entity ID', default: 'default', advanced: true }),
    api_key: secret({ displayName: 'Composio API Key', required: true }),
    action_button: sortableList({ displayName: 'Action', options: [] }),
    action: sortableList({ displayName: 'Action of earlier versions', options: [] }),
  },
  outputs: {
    dataFrame: { types: ['DataFrame', 'Table'], displayName: 'Table', tool: false },
    dataframe: { types: ['DataFrame', 'Table'], displayName: 'Table of earlier versions', tool: false },
    data: { types: ['Data', 'JSON'], displayName: 'Data of earlier versions', tool: false },
    text: { types: ['Message'], displayName: 'Text of earlier versions', tool: false },
    component_as_tool: { types: ['Tool'], displayName: 'Toolset', tool: false },
  },
  deterministic: false,
  run: async ({ entity_id, api_key, ...chosen }, context) => {
    const access = { apiKey: api_key, userId: entity_id };
    const names = [...chosen.action_button, ...chosen.action];
    const isTool = context.wants('component_as_tool') && !context.wants('dataFrame');
    if (isTool) return { component_as_tool: await toolsOf(names, access, context) };
    const result = await execute(names[0] ?? '', access, context);
    context.status(result);
    const table = new DataFrame(rowsOf(result));
    return {
      dataFrame: table,
      dataframe: table,
      data: new Data(isDict(result) ? result : { result }),
      text: new Message({ text: str(result) }),
    };
  },
});

async function execute(
  name: string,
  access: ComposioAccess,
  context: ComponentContext,
): Promise<PythonValue> {
  if (name === '') throw new ComponentError('Select an action first.');
  const toolkit = composioToolkit(context.vertex.type);
  const action = (await composioActions(access, { toolkit }, context)).find((one) => isNamed(one, name));
  if (action === undefined) throw new ComponentError(`Invalid action: ${name}`);
  const given = actionArguments(action, context.fields);
  return context.effect('act', () => executeComposioAction(access, action.slug, given, context));
}

/** Returns the actions enabled in the node's table, otherwise the chosen one, otherwise those of the application. */
async function toolsOf(names: readonly string[], access: ComposioAccess, context: ComponentContext) {
  const selectedNames =
    chosenToolNames(context.fields['tools_metadata'] ?? null) ?? (names.length > 0 ? names : null);
  const toolkit = composioToolkit(context.vertex.type);
  const actions = await composioActions(access, { toolkit }, context);
  const selected =
    selectedNames === null ? actions.slice(0, maximumTools) : chosenActions(actions, selectedNames);
  return composioTools(selected, access, context);
}

/** Returns a result as rows. A result is often an object whose only member is the list. */
function rowsOf(result: PythonValue) {
  const [only, ...others] = isDict(result) ? Object.values(result) : [result];
  const list = others.length === 0 && Array.isArray(only) ? (only as readonly PythonValue[]) : [result];
  return list.map((item) => (isDict(item) ? item : { result: item }));
}

/** Returns the original names of the tools that a node's table enables; null without a table. */
function chosenToolNames(table: PythonValue): readonly string[] | null {
  if (!Array.isArray(table) || table.length === 0) return null;
  return (table as readonly PythonValue[])
    .filter((row) => isDict(row))
    .filter(({ status }) => status !== false)
    .flatMap(({ tags = null, name = null }) => {
      const first: PythonValue = Array.isArray(tags) ? ((tags as readonly PythonValue[])[0] ?? name) : name;
      return typeof first === 'string' ? [first] : [];
    });
}
