import { uuidv7 } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { HttpError } from '@millrace/http';
import type { FlowStore } from '@millrace/runs';
import { requireBody } from '../../http/validation/require-body';
import { forRuns } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { headerVariables } from '../../http/run-headers';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { jsonBody, nothing } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { FlowCallParts } from './call-flow';
import { createMcpServer } from './mcp-server';
import type { ToolCalls } from './tool-calls';

const MAXIMUM_TOOLS = 1_000;
const MAXIMUM_SESSION_LENGTH = 200;
const SESSION_HEADER = 'mcp-session-id';
const INVALID_REQUEST = -32_600;

const operation = (summary: string): Operation => ({
  summary,
  body: jsonBody({ type: 'object' }),
  headers: {
    [SESSION_HEADER]: 'The session of the answer to `initialize`, by which a call can be cancelled',
  },
  answers: {
    200: {
      description: 'The answer to a request, as an event, after events about its progress',
      content: { 'text/event-stream': { type: 'string' } },
    },
    202: nothing('The notification was received'),
  },
  errors: ['not_acceptable', 'not_found', 'invalid_value'],
});

export interface McpRoutesOptions extends FlowCallParts {
  readonly flows: FlowStore;
  readonly toolCalls: ToolCalls;
  readonly logger: Logger;
}

/** A message of a client, as far as it is read here. */
interface ClientMessage {
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | null;
}

/** Routes that offer flows as tools of the Model Context Protocol: those of one project, and all of a user. */
export function mcpRoutes(options: McpRoutesOptions): readonly Route[] {
  const ofProject = async (call: KeyedCall) => {
    const projectId = parseUuidStrictly(pathParameter(call.request, 'project_id'), ['path', 'project_id']);
    return serve(options, call, projectId);
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/mcp/project/:project_id/streamable',
      access: forRuns,
      body: 'json',
      errors: 'jsonrpc',
      operation: operation('Offer the flows of a project as tools of the Model Context Protocol'),
      handle: ofProject,
    },
    {
      method: 'POST',
      path: '/api/v1/mcp/streamable',
      access: forRuns,
      body: 'json',
      errors: 'jsonrpc',
      operation: operation("Offer the user's flows as tools of the Model Context Protocol"),
      handle: (call) => serve(options, call, null),
    },
  ];
}

async function serve(options: McpRoutesOptions, call: KeyedCall, projectId: string | null): Promise<void> {
  const { request, response, principal } = call;
  refuseUnacceptable(call);
  const message = messageOf(requireBody(call.body));
  const { userId } = principal;
  const flows = await options.flows.listTools(userId, projectId, MAXIMUM_TOOLS);
  if (flows === null) throw new HttpError('not_found', 'Project not found');
  const session = sessionOf(request.headers[SESSION_HEADER]);
  if (message.method === 'notifications/cancelled') {
    // The call can run at another gateway.
    const cancelled = { userId, session, call: JSON.stringify(message.params?.requestId ?? null) };
    options.toolCalls.cancel(cancelled);
    await options.control.send({ kind: 'cancel-call', ...cancelled });
    response.writeHead(202).end();
    return;
  }
  if (message.method === 'initialize') response.setHeader(SESSION_HEADER, uuidv7());
  const { StreamableHTTPServerTransport } =
    await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const server = await createMcpServer({
    ...options,
    name: projectId === null ? 'millrace-mcp' : `millrace-mcp-project-${projectId}`,
    userId,
    // Without a session, ids of different clients could be equal: such a call is cancelled by disconnecting.
    session: session === '' ? uuidv7() : session,
    listFlows: () => Promise.resolve(flows),
    globalVariables: headerVariables(request.headers),
    response,
  });
  const transport = new StreamableHTTPServerTransport({});
  // The SDK's own classes do not agree about optional members.
  await server.connect(transport as unknown as Parameters<typeof server.connect>[0]);
  response.once('close', () => void server.close().catch(() => undefined));
  await transport.handleRequest(request, response, call.body);
}

function refuseUnacceptable({ request }: KeyedCall): void {
  const accept = request.headers.accept ?? '';
  if (accept.includes('application/json') && accept.includes('text/event-stream')) return;
  const message = 'Not Acceptable: Client must accept both application/json and text/event-stream';
  throw rpcError('not_acceptable', message, 'server-error');
}

/** Returns a message of the protocol. Throws invalid_value in the shape of JSON-RPC. */
function messageOf(body: unknown): ClientMessage {
  const message = body as { readonly jsonrpc?: unknown; readonly method?: unknown } | null;
  const isMessage =
    typeof message === 'object' && message?.jsonrpc === '2.0' && typeof message.method === 'string';
  if (isMessage) return message as ClientMessage;
  throw rpcError('invalid_value', 'Invalid Request: the body is not a message of JSON-RPC 2.0', null);
}

function rpcError(code: 'not_acceptable' | 'invalid_value', message: string, id: string | null): HttpError {
  return new HttpError(code, message, {
    body: { jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } },
  });
}

function sessionOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && header.length <= MAXIMUM_SESSION_LENGTH ? header : '';
}
