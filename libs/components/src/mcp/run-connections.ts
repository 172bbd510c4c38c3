import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { connectMcp } from './connect-mcp';
import type { McpServer } from './mcp-server';

const maximumConnections = 16;

/** By the signal that ends a run, which is what its nodes have in common. */
const connections = new WeakMap<AbortSignal, Map<string, Promise<Client>>>();

/** The run's connection to a server: one for all its nodes that name the same. */
export function mcpConnection(server: McpServer, context: ComponentContext): Promise<Client> {
  const ofRun = connections.get(context.signal) ?? new Map<string, Promise<Client>>();
  connections.set(context.signal, ofRun);
  const key = JSON.stringify(server);
  const existing = ofRun.get(key);
  if (existing !== undefined) return existing;
  if (ofRun.size >= maximumConnections) {
    throw new ComponentError(`A run can use ${maximumConnections} MCP servers, not more.`);
  }
  const made = connectMcp(server, context);
  ofRun.set(key, made);
  made.then(
    (client) => forgetWhenClosed(client, () => ofRun.delete(key)),
    () => ofRun.delete(key),
  );
  return made;
}

/** A connection that broke is made anew by the next call. */
function forgetWhenClosed(client: Client, forget: () => void): void {
  const { onclose } = client;
  client.onclose = () => {
    onclose?.();
    forget();
  };
}
