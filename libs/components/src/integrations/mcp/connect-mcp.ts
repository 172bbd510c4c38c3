import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { boundedResponse } from './bounded-response';
import { withKeyHeader } from './call-key';
import { version } from './client-version.cjs';
import { mcpFailure } from './mcp-failure';
import type { LocalMcpServer, McpServer, RemoteMcpServer } from './mcp-server';

const maximumBytes = 10 * 1024 * 1024;
const connectMilliseconds = 30_000;

/** Statuses with which a server shows that it does not support Streamable HTTP. */
const unsupportedStatuses: ReadonlySet<unknown> = new Set([400, 404, 405, 406, 415]);

/** Returns a connected client, which is closed when the run ends. */
export async function connectMcp(server: McpServer, context: ComponentContext): Promise<Client> {
  try {
    if (server.kind === 'local') return await connect(await localTransport(server, context), context);
    return await connectRemote(server, context);
  } catch (error) {
    throw mcpFailure(server, 'could not be reached', error, context);
  }
}

async function connectRemote(server: RemoteMcpServer, context: ComponentContext): Promise<Client> {
  if (!server.usesEvents) {
    try {
      return await connect(await streamableTransport(server, context), context);
    } catch (error) {
      const status: unknown =
        typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
      if (!unsupportedStatuses.has(status)) throw error;
    }
  }
  return connect(await eventTransport(server, context), context);
}

async function connect(transport: Transport, context: ComponentContext): Promise<Client> {
  const { Client: McpClient } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new McpClient({ name: 'millrace', version });
  const close = (): void => void client.close().catch(() => undefined);
  context.signal.throwIfAborted();
  context.signal.addEventListener('abort', close, { once: true });
  client.onclose = () => context.signal.removeEventListener('abort', close);
  // The next call reports a connection that fails between two calls.
  client.onerror = () => undefined;
  try {
    await client.connect(transport, { timeout: connectMilliseconds, signal: context.signal });
    return client;
  } catch (error) {
    close();
    throw error;
  }
}

async function streamableTransport(server: RemoteMcpServer, context: ComponentContext): Promise<Transport> {
  const { StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const close = (): void => void transport.close();
  const transport = new StreamableHTTPClientTransport(server.url, settings(server, close, context));
  return transport as Transport;
}

async function eventTransport(server: RemoteMcpServer, context: ComponentContext): Promise<Transport> {
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  const close = (): void => void transport.close();
  const transport = new SSEClientTransport(server.url, settings(server, close, context));
  return transport;
}

interface RemoteSettings {
  readonly requestInit: { readonly headers: Record<string, string> };
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** A response that is too large closes the connection; otherwise the pending call would not fail. */
function settings(
  { headers }: RemoteMcpServer,
  close: () => void,
  context: ComponentContext,
): RemoteSettings {
  return {
    requestInit: { headers: { ...headers } },
    fetch: async (url, init) =>
      boundedResponse(await context.fetch(url, withKeyHeader(init)), maximumBytes, close),
  };
}

/** Passes on only those environment variables of this process that a program needs to start. */
async function localTransport(server: LocalMcpServer, context: ComponentContext): Promise<Transport> {
  if (!context.resources.isAllowed('mcp-stdio')) {
    throw new ComponentError(
      `The MCP server "${server.name}" is a local program, which flows cannot start on this installation. The operator can allow it with MILLRACE_MCP_STDIO.`,
    );
  }
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const { command, args, environment } = server;
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...environment },
    stderr: 'ignore',
    maxBufferSize: maximumBytes,
  });
}
