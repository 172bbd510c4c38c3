import type { ToolFlow } from '@millrace/runs';
import { mcpName } from './mcp-name';

/**
 * Returns the flows by their names as tools: the flow's action name, else its name, in Langflow's form. A name
 * that two flows have belongs to the first; the second gets a number.
 */
export function toolsByName(flows: readonly ToolFlow[]): ReadonlyMap<string, ToolFlow> {
  const tools = new Map<string, ToolFlow>();
  for (const flow of flows) {
    const name = mcpName(flow.actionName || flow.name);
    let free = name;
    for (let number = 1; tools.has(free); number += 1) free = `${name}_${number}`;
    tools.set(free, flow);
  }
  return tools;
}

/** Returns a flow as a tool of the Model Context Protocol. */
export function toolOf(name: string, { description, actionDescription, name: flowName }: ToolFlow) {
  return {
    name,
    description: actionDescription || description || `Runs the flow ${flowName}.`,
    inputSchema: {
      type: 'object' as const,
      properties: {
        input_value: { type: 'string', description: 'The message that the flow gets.' },
        session_id: {
          type: 'string',
          description: 'The conversation that the flow continues; that of the flow unless given.',
        },
      },
      required: [],
    },
  };
}
