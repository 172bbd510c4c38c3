import { InvalidFlowError } from '@millrace/flow';
import { factsOf, HttpError } from '@millrace/http';
import type { AgentFlow, FlowStore, RunRecord } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import { actorOf } from '../../authentication/actor-of';
import type { BoundCallers } from '../../authentication/bound-callers';
import type { KeyedStreams } from '../../authentication/keyed-streams';
import type { FlowTraitsCache } from '../../flow-traits/flow-traits';
import { sendJson } from '../../http/answers/send-json';
import { baseUrlOf } from '../../http/base-url';
import { refuseEncodedBody, runBodyValue } from '../../http/bodies/parse-body';
import { forAgents, forReading } from '../../http/routing/access';
import { json, jsonBody } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { pathParameter } from '../../http/routing/route';
import type { Call, KeyedCall, Route } from '../../http/routing/route';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { followRun } from '../../run-events/follow-run';
import type { FollowRunOptions } from '../../run-events/follow-run';
import { langflowVersions } from '../system/langflow-versions';
import type { CalledAgent } from './agent-session';
import { agentCard } from './agent-card';
import { isFinal } from './agent-task';
import type { AgentTask } from './agent-task';
import { AgentTasks } from './agent-tasks';
import type { AgentCall, AgentTasksOptions } from './agent-tasks';
import {
  agentCardSchema,
  agentsSchema,
  rpcAnswerSchema,
  rpcEventSchema,
  rpcRequestSchema,
} from './a2a-schemas';
import { readMessageParams, readTaskParams } from './message-params';
import { NO_DATA, RpcError } from './rpc-error';
import { paramsOf, readRpcMessage, rpcIdOf } from './rpc-message';
import type { RpcId, RpcMessage } from './rpc-message';
import { closingTaskEvents, TaskEvents } from './task-events';
import { whenClosed } from '../../http/when-closed';

const ROOT = '/api/v1/a2a';
const MAXIMUM_AGENTS = 1_000;
const NOT_FOUND = 'Not Found';

const operations = {
  agents: {
    summary: "List the user's flows that agents of other systems can call",
    answers: { 200: json('The flows, with the addresses of their agent cards', agentsSchema) },
  },
  card: {
    summary: 'Read the agent card of a flow',
    answers: { 200: json('The agent card (A2A 0.3)', agentCardSchema) },
    errors: ['not_found', 'database_unavailable'],
  },
  rpc: {
    summary: 'Call a flow as an agent (A2A 0.3, JSON-RPC)',
    body: jsonBody(rpcRequestSchema),
    answers: {
      200: {
        description: 'The task or the error; for message/stream and tasks/resubscribe its changes as events',
        content: { 'application/json': rpcAnswerSchema, 'text/event-stream': { type: 'string' } },
        events: rpcEventSchema,
      },
    },
    errors: [
      'not_found',
      'flow_paused',
      'no_executor',
      'too_many_runs',
      'too_many_callers',
      'too_many_waiting',
      'flow_refused',
      'invalid_flow',
      'object_store_unavailable',
      'broker_unavailable',
      'shutting_down',
    ],
  },
} as const satisfies Record<string, Operation>;

export interface A2aRoutesOptions extends AgentTasksOptions {
  readonly flows: Pick<FlowStore, 'findAgent' | 'listAgents'>;
  readonly traits: FlowTraitsCache;
  readonly following: FollowRunOptions;
  readonly streams: KeyedStreams;
  readonly release: LangflowRelease;
  readonly publicUrl: string | undefined;
  readonly callers: Pick<BoundCallers, 'reached'>;
}

/** Routes by which agents of other systems find and call flows (Agent2Agent protocol). */
export function a2aRoutes(options: A2aRoutesOptions): readonly Route[] {
  const { flows, traits, release, publicUrl } = options;
  const base = ({ request }: Call) => publicUrl ?? baseUrlOf(request);
  const agents = async (call: KeyedCall) => {
    const all = await flows.listAgents(call.principal.userId, MAXIMUM_AGENTS);
    const found = await options.callers.reached(call.principal, all);
    sendJson(
      call.response,
      200,
      found.map(({ id, name, description }) => ({
        id,
        name,
        description,
        cardUrl: `${base(call)}${ROOT}/${id}/.well-known/agent-card.json`,
      })),
    );
  };
  const card = async (call: Call) => {
    const agent = await agentOf(options, call, null);
    // A flow that cannot be read has a card without its inputs.
    const known = await traits.of(agent.id, agent.version).catch((error: unknown) => {
      if (error instanceof InvalidFlowError) return null;
      throw error;
    });
    const fields = known === null || known.types.size === 0 ? null : known.inputFields;
    const url = `${base(call)}${ROOT}/${agent.id}/jsonrpc`;
    sendJson(call.response, 200, agentCard(agent, { url, version: langflowVersions[release], fields }));
  };
  return [
    {
      method: 'GET',
      path: `${ROOT}/agents`,
      access: forReading,
      operation: operations.agents,
      handle: agents,
    },
    {
      method: 'GET',
      path: `${ROOT}/:flow_id/.well-known/agent-card.json`,
      access: 'public',
      operation: operations.card,
      handle: card,
    },
    {
      method: 'POST',
      path: `${ROOT}/:flow_id/jsonrpc`,
      access: forAgents,
      body: 'raw',
      operation: operations.rpc,
      handle: rpcHandler(options),
    },
  ];
}

/** Returns the agent that a path names; of a user only their own. Throws not_found, in the same words for every reason. */
async function agentOf(
  { flows }: Pick<A2aRoutesOptions, 'flows'>,
  { request }: Call,
  userId: string | null,
): Promise<AgentFlow> {
  const id = parseUuidStrictly(pathParameter(request, 'flow_id'), ['path', 'flow_id']);
  const agent = await flows.findAgent(id);
  if (agent === null || (userId !== null && agent.userId !== userId))
    throw new HttpError('not_found', NOT_FOUND);
  return agent;
}

function rpcHandler(options: A2aRoutesOptions): (call: KeyedCall) => Promise<void> {
  const tasks = new AgentTasks(options);
  return async (call) => {
    const flow = await agentOf(options, call, call.principal.userId);
    const agent = { ...flow, endUser: call.endUser };
    factsOf(call.request).flowId = agent.id;
    let id: RpcId = null;
    try {
      const body = bodyOf(call);
      id = rpcIdOf(body);
      const message = readRpcMessage(body);
      const task = await answerOf({ options, tasks, call, agent }, message);
      if (task !== null) sendJson(call.response, 200, { jsonrpc: '2.0', id, result: task });
    } catch (error) {
      if (!(error instanceof RpcError) || call.response.headersSent) throw error;
      sendJson(call.response, 200, { jsonrpc: '2.0', id, error: error.toJson() });
    }
  };
}

interface RpcCall {
  readonly options: A2aRoutesOptions;
  readonly tasks: AgentTasks;
  readonly call: KeyedCall;
  readonly agent: CalledAgent;
}

/** Resolves to the task to answer; null once a stream has answered. Throws an RpcError. */
async function answerOf(rpc: RpcCall, message: RpcMessage): Promise<AgentTask | null> {
  const { tasks, call, agent } = rpc;
  switch (message.method) {
    case 'message/send': {
      refuseVersion(call);
      return tasks.send(agentCall(rpc), readMessageParams(paramsOf(message)));
    }
    case 'message/stream': {
      refuseVersion(call);
      const sent = readMessageParams(paramsOf(message));
      return stream(rpc, message.id, () => tasks.start(agentCall(rpc), sent));
    }
    case 'tasks/get': {
      refuseVersion(call);
      return tasks.view(agent, await tasks.find(agent, readTaskParams(paramsOf(message))));
    }
    case 'tasks/cancel': {
      refuseVersion(call);
      return tasks.cancel(agent, readTaskParams(paramsOf(message)), actorOf(call));
    }
    case 'tasks/resubscribe': {
      refuseVersion(call);
      const taskId = readTaskParams(paramsOf(message));
      return stream(rpc, message.id, () => openTask(rpc, taskId));
    }
    case 'agent/getAuthenticatedExtendedCard':
      throw new RpcError('unsupported', 'The agent does not support authenticated extended cards');
    default:
      throw message.method.startsWith('tasks/pushNotificationConfig/')
        ? new RpcError('noPushNotifications', 'Push Notification is not supported')
        : new RpcError('methodUnknown', 'Method not found', NO_DATA);
  }
}

function agentCall({ agent, call }: RpcCall): AgentCall {
  return { agent, response: call.response, actor: actorOf(call) };
}

/** Resolves to a task that has not ended. */
async function openTask({ tasks, agent }: RpcCall, taskId: string): Promise<AgentTask> {
  const task = await tasks.view(agent, await tasks.find(agent, taskId));
  if (!isFinal(task.status.state)) return task;
  throw new RpcError('unsupported', `Task ${taskId} has no active stream to resubscribe to`);
}

/** Sends the events of a task to its end. An error is the only event of its stream, as in Langflow. */
async function stream(
  { options, tasks, call, agent }: RpcCall,
  id: RpcId,
  begin: () => Promise<AgentTask>,
): Promise<null> {
  const { following, streams, concurrencyLimit } = options;
  const { response, principal } = call;
  const { userId } = principal;
  concurrencyLimit.enter(userId);
  whenClosed(response, () => concurrencyLimit.leave(userId));
  let task: AgentTask;
  try {
    task = await begin();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(`data: ${JSON.stringify({ id, jsonrpc: '2.0', error: error.toJson() })}\n\n`);
    return null;
  }
  streams.trackFlow(principal, agent.id, response);
  await followRun(following, response, {
    userId,
    runId: task.id,
    after: null,
    form: new TaskEvents(id, task, following.clock),
    headers: { 'x-run-id': task.id },
    closingEvents: async (record: RunRecord) => closingTaskEvents(await tasks.view(agent, record)),
  });
  return null;
}

/** Returns the parsed body. Throws an RpcError for bytes that are no JSON. */
function bodyOf({ request, runBody }: KeyedCall): unknown {
  refuseEncodedBody(request);
  try {
    return runBodyValue(runBody ?? { bytes: Buffer.alloc(0), maximumMembers: 0 });
  } catch (error) {
    if (!(error instanceof HttpError) || !['invalid_json', 'undecodable_body'].includes(error.code))
      throw error;
    throw new RpcError('parse', reasonOf(error.detail), NO_DATA);
  }
}

/** Returns the text of an error of syntax. */
function reasonOf(detail: unknown): string {
  const [item] = Array.isArray(detail)
    ? (detail as readonly { readonly ctx?: { readonly error?: string } }[])
    : [];
  return item?.ctx?.error ?? 'The body is not JSON';
}

function refuseVersion({ request }: KeyedCall): void {
  const version = request.headers['a2a-version'];
  if (version === undefined || version === '' || /^0\.3(\.\d+)?$/.test(String(version))) return;
  const text = `A2A version '${String(version).slice(0, 50)}' is not supported by this handler. Expected version '0.3'.`;
  throw new RpcError('versionRefused', text);
}
