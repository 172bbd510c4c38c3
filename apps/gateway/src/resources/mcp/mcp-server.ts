import type { ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Limits, ToolFlow } from '@millrace/runs';
import { version } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { EndUser } from '../../end-users/end-user-sessions';
import { toHttpError } from '../../http/answers/answer-error';
import { argumentProblem } from './argument-problem';
import { callFlow } from './call-flow';
import type { FlowCallParts } from './call-flow';
import type { ToolCalls } from './tool-calls';
import { toolOf, toolsByName } from './tool-names';

export interface McpServerOptions extends FlowCallParts {
  readonly toolCalls: ToolCalls;
  readonly logger: Logger;
  /** Shown to clients. */
  readonly name: string;
  /** As Langflow says it of each transport; its lists do not announce changes either. */
  readonly saysListChanged: boolean;
  readonly userId: string;
  readonly session: string;
  readonly endUser: EndUser;
  readonly keyLimits: Limits | undefined;
  /** Resolves to the flows that are tools now. */
  readonly listFlows: () => Promise<readonly ToolFlow[]>;
  readonly globalVariables: Readonly<Record<string, string>>;
  readonly response: ServerResponse;
}

/** Returns a server of the Model Context Protocol whose tools are flows. */
export async function createMcpServer(options: McpServerOptions): Promise<Server> {
  // Loaded at the first request, since few gateways need it.
  const [{ Server: McpServer }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const tools = async () => toolsByName(await options.listFlows());
  const { saysListChanged: listChanged } = options;
  const server = new McpServer(
    { name: options.name, version: version },
    {
      capabilities: {
        experimental: {},
        prompts: { listChanged },
        resources: { subscribe: false, listChanged },
        tools: { listChanged },
      },
    },
  );
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({ prompts: [] }));
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({ resources: [] }));
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  server.setRequestHandler(types.ListToolsRequestSchema, async () => ({
    tools: [...(await tools())].map(([name, flow]) => toolOf(name, flow)),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    const flow = (await tools()).get(params.name);
    if (!flow) return failed(`Flow with name '${params.name}' not found`);
    const given = params.arguments ?? {};
    const problem = argumentProblem(given);
    if (problem !== null) return failed(problem);
    const { input_value: input, session_id: session } = given;
    const { progressToken } = params._meta ?? {};
    let progress = 0;
    const onVertex = (vertex: string) => {
      progress += 1;
      const notified = { progressToken: progressToken ?? '', progress, message: `${vertex} ended` };
      extra.sendNotification({ method: 'notifications/progress', params: notified }).catch(() => undefined);
    };
    const { userId } = options;
    const call = { userId, session: options.session, call: JSON.stringify(extra.requestId) };
    try {
      const text = await options.toolCalls.during(call, (signal) =>
        callFlow(options, options.response, {
          userId,
          flowId: flow.id,
          input: typeof input === 'string' ? input : '',
          session: typeof session === 'string' ? session : '',
          endUser: options.endUser,
          keyLimits: options.keyLimits,
          globalVariables: options.globalVariables,
          signal: AbortSignal.any([signal, extra.signal]),
          onVertex: progressToken === undefined ? null : onVertex,
        }),
      );
      return { content: [{ type: 'text' as const, text }], isError: false };
    } catch (error) {
      return failed(toHttpError(error).message);
    }
  });
  server.fallbackRequestHandler = ({ method }) => {
    throw PROTOCOL_METHODS.has(method) ? rpcError(-32_601, 'Method not found') : invalidRequest;
  };
  return server;
}

/** Methods of the protocol that this server does not have. As in Langflow, any other name is an invalid request. */
const PROTOCOL_METHODS: ReadonlySet<string> = new Set([
  'completion/complete',
  'logging/setLevel',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
]);

const invalidRequest = rpcError(-32_602, 'Invalid request parameters', '');

function rpcError(code: number, message: string, data?: string): Error {
  return Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) });
}

function failed(text: string) {
  return { content: [{ type: 'text' as const, text }], isError: true };
}
