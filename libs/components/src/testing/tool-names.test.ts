import { toolNode } from './tool-node.fixture';
import { callToolOf } from './tool-caller.fixture';

/** The tools that a Langflow 1.13.0 gives an agent: their names, and the names of their arguments. */
const given: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'Prompt Template': { build_prompt: ['tool_placeholder'] },
  File: { load_files_message: [] },
  Agent: { Call_Agent_message_response: ['input_value'], Call_Agent_json_response: ['input_value'] },
  ToolCallingAgent: { 'Tool-Calling-Agent': ['input_value'] },
  Knowledge: { build_kb_info: ['mode', 'search_query'], retrieve_data: ['mode', 'search_query'] },
};

const toolsOf = async (type: string, table: readonly unknown[]) => {
  const { tools } = await callToolOf(toolNode(`${type}-a`, type, table), {}, { tool: 'none' });
  return Object.fromEntries(
    tools.map(({ name, parameters }) => [name, Object.keys(parameters['properties'] ?? {})]),
  );
};

test.each(Object.keys(given))('%s has the tools that Langflow gives an agent', async (type) => {
  expect(await toolsOf(type, [])).toEqual(given[type]);
});

test('a table of an earlier version renames the first tool', async () => {
  const table = [{ name: 'ask_expert', tags: ['Call_Agent'], status: true, description: 'Asks.' }];
  expect(Object.keys(await toolsOf('Agent', table))).toEqual(['ask_expert']);
});
