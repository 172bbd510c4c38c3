import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { connectMcp } from './connect-mcp';
import type { McpServer } from './mcp-server';

const maximumConnections = 16;

/** Keyed by the run's signal, which all its nodes share. */
const connections = new WeakMap<AbortSignal, Map<string, Promise<Client>>>();

/** Returns the run's connection to a server; all nodes of the run with the same server share it. */
export function mcpConnection(server: McpServer, context: ComponentContext): Promise<Client> {
  const runConnections = connections.get(context.signal) ?? new Map<string, Promise<Client>>();
  connections.set(context.signal, runConnections);
  const key = JSON.stringify(server);
  const existing = runConnections.get(key);
  if (existing !== undefined) return existing;
  if (runConnections.size >= maximumConnections) {
    throw new ComponentError(`A run can use at most ${maximumConnections} MCP servers.`);
  }
  const made = connectMcp(server, context);
  runConnections.set(key, made);
  made.then(
    (client) => forgetWhenClosed(client, () => runConnections.delete(key)),
    () => runConnections.delete(key),
  );
  return made;
}

/** The next call opens a new connection after a failure. */
function forgetWhenClosed(client: Client, forget: () => void): void {
  const { onclose } = client;
  client.onclose = () => {
    onclose?.();
    forget();
  };
}
