import { ComponentError, isDict } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { str } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { readMcpServer, secretsOf, texts } from './mcp-server';
import type { McpServer } from './mcp-server';

/**
 * Returns the server that a node names: the user's stored server of that name, else the one that the node describes, in
 * the format of any version; null when it names and describes none. Header and environment values that are names of
 * variables are replaced by their values.
 */
export async function findMcpServer(
  named: PythonValue,
  headers: PythonObject,
  context: ComponentContext,
): Promise<McpServer | null> {
  const { name, config } = described(named, context);
  const stored = name === '' ? null : await context.resources.mcpServers.find(name);
  const server = readMcpServer(name === '' ? 'MCP' : name, stored ?? config);
  if (server === null) {
    if (name === '') return null;
    throw new ComponentError(
      `There is no MCP server "${name}": the flow does not contain its address, and the user has stored no server of that name.`,
    );
  }
  const complete: McpServer =
    server.kind === 'local'
      ? { ...server, environment: await resolved(server.environment, context) }
      : { ...server, headers: await resolved({ ...server.headers, ...texts(headers) }, context) };
  context.hide(secretsOf(complete));
  return complete;
}

interface Described {
  readonly name: string;
  readonly config: PythonObject;
}

function described(named: PythonValue, { fields }: ComponentContext): Described {
  if (isDict(named)) {
    const { name = null, config = null } = named;
    return { name: name === null ? '' : str(name), config: isDict(config) ? config : {} };
  }
  if (typeof named === 'string' && named !== '') return { name: named, config: {} };
  return { name: '', config: legacyConfig(fields) };
}

/** Reads the fields of nodes that were saved before servers had names. */
function legacyConfig(fields: Readonly<Record<string, PythonValue>>): PythonObject {
  const { mode = null, command = null, env = null, headers_input = null } = fields;
  const url = fields['sse_url'] ?? fields['url'] ?? null;
  const isLocal =
    typeof mode === 'string' && mode !== '' ? /^stdio$/i.test(mode) : url === null || url === '';
  return isLocal ? { command, env } : { url, headers: headers_input, mode };
}

async function resolved(
  values: Readonly<Record<string, string>>,
  context: ComponentContext,
): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(values).map(async ([name, value]): Promise<[string, string]> => {
    const variable = /^[\w-]{1,200}$/.test(value) ? await context.variable(value) : undefined;
    return [name, variable ?? value];
  });
  return Object.fromEntries(await Promise.all(entries));
}
