import { uuidv7 } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { HttpError } from '@millrace/http';
import type { BoundCallers } from '../../authentication/bound-callers';
import type { FlowStore } from '@millrace/runs';
import { requireBody } from '../../http/validation/require-body';
import { forMcp } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { headerVariables } from '../../http/run-headers';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { jsonBody, nothing } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { FlowCallParts } from './call-flow';
import { createMcpServer } from './mcp-server';
import type { ToolCalls } from './tool-calls';
import { whenClosed } from '../../http/when-closed';

const MAXIMUM_TOOLS = 1_000;
const MAXIMUM_SESSION_LENGTH = 200;
const SESSION_HEADER = 'mcp-session-id';
const INVALID_REQUEST = -32_600;
/** The id in errors about requests that are no message, as the Python SDK sends it. */
const SERVER_ERROR = 'server-error';
const PARSE_ERROR = -32_700;

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

const noStream: Operation = {
  summary: 'There is no stream of messages to follow',
  answers: {},
  errors: ['method_not_allowed'],
};
const noSession: Operation = {
  summary: 'There is no session to end',
  answers: {},
  errors: ['method_not_allowed'],
};

export interface McpRoutesOptions extends FlowCallParts {
  readonly flows: FlowStore;
  readonly toolCalls: ToolCalls;
  readonly callers: Pick<BoundCallers, 'reached'>;
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
  const ofUser = (call: KeyedCall) => serve(options, call, null);
  return [
    ...routesAt('/api/v1/mcp/project/:project_id/streamable', {
      summary: 'Offer the flows of a project as tools of the Model Context Protocol',
      handle: ofProject,
    }),
    ...routesAt('/api/v1/mcp/streamable', {
      summary: "Offer the user's flows as tools of the Model Context Protocol",
      handle: ofUser,
    }),
  ];
}

function routesAt(
  path: string,
  { summary, handle }: { readonly summary: string; readonly handle: (call: KeyedCall) => Promise<void> },
): readonly Route[] {
  return [
    {
      method: 'POST',
      path,
      access: forMcp,
      body: 'json',
      errors: 'jsonrpc',
      refuseSyntax: parseError,
      operation: operation(summary),
      handle,
    },
    // Each message is answered on its own, so that there is neither a stream to follow nor a session to end. Clients
    // ask for both, and take this answer.
    { method: 'GET', path, access: forMcp, errors: 'jsonrpc', operation: noStream, handle: refuseStream },
    { method: 'DELETE', path, access: forMcp, errors: 'jsonrpc', operation: noSession, handle: refuseEnd },
  ];
}

async function serve(options: McpRoutesOptions, call: KeyedCall, projectId: string | null): Promise<void> {
  const { request, response, principal } = call;
  refuseUnacceptable(call);
  const message = messageOf(requireBody(call.body));
  const { userId } = principal;
  const all = await options.flows.listTools(userId, projectId, MAXIMUM_TOOLS);
  if (all === null) throw new HttpError('not_found', 'Project not found');
  const flows = await options.callers.reached(principal, all);
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
  // The answer to a notification has no body, but the type of JSON, as in Langflow.
  if (!('id' in message)) response.setHeader('content-type', 'application/json');
  const { StreamableHTTPServerTransport } =
    await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const server = await createMcpServer({
    ...options,
    name: projectId === null ? 'millrace-mcp' : `millrace-mcp-project-${projectId}`,
    saysListChanged: false,
    userId,
    endUser: call.endUser,
    keyLimits: principal.limits?.key,
    // Without a session, ids of different clients could be equal: such a call is cancelled by disconnecting.
    session: session === '' ? uuidv7() : session,
    listFlows: () => Promise.resolve(flows),
    globalVariables: headerVariables(request.headers),
    response,
  });
  const transport = new StreamableHTTPServerTransport({});
  // The SDK's own classes do not agree about optional members.
  await server.connect(transport as unknown as Parameters<typeof server.connect>[0]);
  whenClosed(response, () => void server.close().catch(() => undefined));
  await transport.handleRequest(request, response, call.body);
}

function refuseUnacceptable({ request }: KeyedCall): void {
  const accept = request.headers.accept ?? '';
  if (accept.includes('application/json') && accept.includes('text/event-stream')) return;
  const message = 'Not Acceptable: Client must accept both application/json and text/event-stream';
  throw rpcError('not_acceptable', message, SERVER_ERROR);
}

/** Returns a message of the protocol. Throws invalid_value in the shape of JSON-RPC. */
function messageOf(body: unknown): ClientMessage {
  const message = body as { readonly jsonrpc?: unknown; readonly method?: unknown } | null;
  const isMessage =
    typeof message === 'object' && message?.jsonrpc === '2.0' && typeof message.method === 'string';
  if (isMessage) return message as ClientMessage;
  throw rpcError('invalid_value', 'Invalid Request: the body is not a message of JSON-RPC 2.0', null);
}

function refuseStream(): never {
  throw notAllowed('Method Not Allowed: There is no stream of messages');
}

function refuseEnd(): never {
  throw notAllowed('Method Not Allowed: Session termination not supported');
}

function notAllowed(message: string): HttpError {
  return rpcError('method_not_allowed', message, SERVER_ERROR, { headers: { allow: 'POST' } });
}

/** Returns the error of JSON-RPC for a body that is no JSON, with the reason and the offset of the usual error. */
function parseError({ detail }: HttpError): HttpError {
  const [item] = detail as readonly {
    readonly loc: readonly unknown[];
    readonly ctx: { readonly error: string };
  }[];
  const message = `Parse error: ${item?.ctx.error ?? ''} (char ${String(item?.loc[1] ?? 0)})`;
  return rpcError('invalid_value', message, SERVER_ERROR, { code: PARSE_ERROR });
}

function rpcError(
  kind: 'not_acceptable' | 'invalid_value' | 'method_not_allowed',
  message: string,
  id: string | null,
  {
    code = INVALID_REQUEST,
    headers = {},
  }: { readonly code?: number; readonly headers?: Record<string, string> } = {},
): HttpError {
  return new HttpError(kind, message, { body: { jsonrpc: '2.0', id, error: { code, message } }, headers });
}

function sessionOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && header.length <= MAXIMUM_SESSION_LENGTH ? header : '';
}
