import type { BoundCallers } from '../../authentication/bound-callers';
import type { KeyedStreams } from '../../authentication/keyed-streams';
import { HttpError } from '@millrace/http';
import type { FlowStore, Principal } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { requireBody } from '../../http/validation/require-body';
import { forMcp } from '../../http/routing/access';
import { keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { headerVariables } from '../../http/run-headers';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { jsonBody, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { FlowCallParts } from './call-flow';
import { createMcpServer } from './mcp-server';
import { SseSessions, SseTransport } from './sse-sessions';
import type { ToolCalls } from './tool-calls';

const MAXIMUM_TOOLS = 1_000;
const HEX = /^[\da-f]{32}$/;

const operations = {
  open: {
    summary: 'Offer flows as tools of the Model Context Protocol over server-sent events',
    answers: {
      200: {
        description: 'The address for messages, then answers and progress, until the caller disconnects',
        content: { 'text/event-stream': { type: 'string' } },
      },
    },
    errors: ['not_found', 'too_many_runs'],
  },
  probe: {
    summary: 'Whether the Model Context Protocol is offered over server-sent events',
    answers: { 200: nothing('It is') },
  },
  post: {
    summary: 'Send a message of the Model Context Protocol to an open stream',
    query: { session_id: queryParameter('string', 'The session that the stream named') },
    body: jsonBody({ type: 'object' }),
    answers: { 202: nothing('The message was received; its answer is in the stream') },
    errors: ['not_found', 'invalid_value'],
  },
} as const satisfies Record<string, Operation>;

export interface McpSseRoutesOptions extends FlowCallParts {
  readonly flows: FlowStore;
  readonly toolCalls: ToolCalls;
  readonly streams: KeyedStreams;
  readonly callers: Pick<BoundCallers, 'reached'>;
  readonly logger: Logger;
}

/**
 * Routes for clients of the transport that Streamable HTTP has replaced. A session is in the process that has its stream:
 * another gateway does not know it.
 */
export function mcpSseRoutes(options: McpSseRoutesOptions): readonly Route[] {
  const sessions = new SseSessions();
  const open = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const { userId } = principal;
    const projectId = projectOf(call);
    const listed = () => options.flows.listTools(userId, projectId, MAXIMUM_TOOLS);
    if ((await listed()) === null) throw new HttpError('not_found', 'Project not found');
    sessions.takePlace(userId, response);
    const transport = new SseTransport(response, addressOf(projectId));
    const server = await createMcpServer({
      ...options,
      name: projectId === null ? 'millrace-mcp' : `millrace-mcp-project-${projectId}`,
      saysListChanged: true,
      userId,
      endUser: call.endUser,
      keyLimits: principal.limits?.key,
      session: transport.sessionId,
      listFlows: async () => options.callers.reached(principal, (await listed()) ?? []),
      globalVariables: headerVariables(request.headers),
      response,
    });
    if (response.destroyed) return;
    sessions.add(ownerOf(principal, projectId), transport, response);
    options.streams.track(principal, response);
    await server.connect(transport);
  };
  const post = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const sessionId = query.get('session_id');
    if (sessionId === null) throw new HttpError('invalid_value', 'session_id is required');
    if (!HEX.test(sessionId)) throw new HttpError('invalid_value', 'Invalid session ID');
    const transport = sessions.find(ownerOf(principal, projectOf(call)), sessionId);
    if (transport === undefined) throw new HttpError('not_found', 'Could not find session');
    const message = JSONRPCMessageSchema.safeParse(requireBody(call.body));
    if (!message.success) throw unreadable();
    response.writeHead(202).end();
    transport.onmessage?.(message.data);
  };
  return ['/api/v1/mcp', '/api/v1/mcp/project/:project_id'].flatMap((root): Route[] => [
    // Listed first, since GET takes HEAD as well.
    {
      method: 'HEAD',
      path: `${root}/sse`,
      access: 'public',
      operation: operations.probe,
      handle: ({ response }) => void response.writeHead(200).end(),
    },
    keyedRoute(`GET ${root}/sse`, forMcp, operations.open, open),
    {
      method: 'POST',
      path: `${root}/`,
      access: forMcp,
      body: 'json',
      refuseSyntax: unreadable,
      operation: operations.post,
      handle: post,
    },
  ]);
}

function unreadable(): HttpError {
  return new HttpError('invalid_value', 'Could not parse message');
}

function projectOf({ request }: KeyedCall): string | null {
  const text = pathParameter(request, 'project_id');
  return text === '' ? null : parseUuidStrictly(text, ['path', 'project_id']);
}

function addressOf(projectId: string | null): string {
  return projectId === null ? '/api/v1/mcp/' : `/api/v1/mcp/project/${projectId}/`;
}

/** The session of a key with bounds offers other tools than those of other keys of the user. */
function ownerOf({ userId, keyHash, bounds }: Principal, projectId: string | null): string {
  return `${userId} ${projectId ?? ''} ${bounds === null ? '' : keyHash}`;
}
