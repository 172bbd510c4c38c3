import {
  boolean,
  ComponentError,
  defineComponent,
  dictionary,
  dropdown,
  float,
  handle,
  namedTools,
  savedTools,
  text,
} from '@millrace/flow';
import type { ComponentContext, Input, ToolHandle } from '@millrace/flow';
import { DataFrame } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { McpCalls } from '../integrations/mcp/mcp-calls';
import { findMcpServer } from '../integrations/mcp/find-mcp-server';
import { toolArguments } from '../integrations/mcp/tool-arguments';
import { contentRows, contentText } from '../integrations/mcp/tool-content';

const server: Input<PythonValue> = { ...handle({ displayName: 'MCP Server' }), kind: 'Mcp' };

export default defineComponent({
  type: 'MCPTools',
  aliases: ['MCP', 'MCPSse', 'MCPStdio'],
  displayName: 'MCP Tools',
  description: 'Connects to an MCP server and provides its tools to agents, or calls one of them.',
  inputs: {
    mcp_server: server,
    use_cache: boolean({ displayName: 'Use Cached Server', advanced: true }),
    verify_ssl: boolean({ displayName: 'Verify SSL Certificate', default: true, advanced: true }),
    headers: dictionary({ displayName: 'Headers', advanced: true }),
    tool_execution_timeout: float({ default: 0, displayName: 'Tool Execution Timeout', advanced: true }),
    tool: dropdown({ displayName: 'Tool', options: [] }),
    tool_placeholder: text({ displayName: 'Tool Placeholder' }),
  },
  outputs: {
    response: { types: ['DataFrame', 'Table'], displayName: 'Response', method: 'build_output' },
    component_as_tool: { types: ['Tool'], displayName: 'Toolset' },
    tools: { types: ['Tool'], displayName: 'Tools' },
  },
  deterministic: false,
  approximates: 'Certificates are always checked; connections last as long as the run.',
  run: async ({ mcp_server, headers, tool_execution_timeout, tool }, context) => {
    const found = await findMcpServer(mcp_server, headers, context);
    // As in Langflow, such a node has no tools.
    if (found === null) return { response: withoutServer(tool, context), component_as_tool: [], tools: [] };
    const calls = new McpCalls(found, tool_execution_timeout * 1_000, context);
    const tools =
      context.wants('component_as_tool') || context.wants('tools') ? await toolset(calls, context) : [];
    const response = context.wants('response') ? await answer(calls, tool, context) : null;
    return { response, component_as_tool: tools, tools };
  },
});

/** Returns the server's tools, except those that the node's table has disabled. */
async function toolset(calls: McpCalls, context: ComponentContext): Promise<readonly ToolHandle[]> {
  const tools = await calls.tools();
  const names = tools.map(({ name }) => name);
  return namedTools(names, savedTools(context.fields['tools_metadata'] ?? null)).flatMap(
    ({ index, name, row }) => {
      const tool = tools[index];
      if (tool === undefined) return [];
      const description = row?.description || (tool.description ?? tool.title ?? tool.name);
      const call = async (callArguments: PythonObject): Promise<string> => {
        const result = await calls.call(tool.name, callArguments);
        if (result.isError === true) throw new ComponentError(contentText(result));
        return contentText(result);
      };
      return [{ kind: 'tool', name, description, parameters: tool.inputSchema, call } satisfies ToolHandle];
    },
  );
}

function withoutServer(name: string, context: ComponentContext): DataFrame | null {
  if (!context.wants('response')) return null;
  if (name !== '') throw new ComponentError(`Error in build_output: '${name}'`);
  return noTool();
}

function noTool(): DataFrame {
  return new DataFrame([{ error: 'You must select a tool' }]);
}

/** Calls one tool with the node's own fields as arguments. */
async function answer(calls: McpCalls, name: string, context: ComponentContext): Promise<DataFrame> {
  if (name === '') return noTool();
  const tool = (await calls.tools()).find((candidate) => candidate.name === name);
  if (tool === undefined)
    throw new ComponentError(`Error in build_output: the server has no tool "${name}".`);
  const result = await calls.call(name, toolArguments(tool, context.fields));
  if (result.isError === true) throw new ComponentError(`Error in build_output: ${contentText(result)}`);
  return new DataFrame(contentRows(result));
}
