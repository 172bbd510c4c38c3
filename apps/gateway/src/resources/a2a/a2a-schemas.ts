import { anyObject, closedObject, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';

const flag = { type: 'boolean' } as const;
const id = { type: ['string', 'integer', 'null'] } as const;
const part = anyObject;
const message = closedObject({
  kind: { const: 'message' },
  role: { const: 'agent' },
  messageId: text,
  parts: listOf(part),
  taskId: text,
  contextId: text,
});
const status = closedObject(
  {
    state: { enum: ['submitted', 'working', 'input-required', 'completed', 'failed', 'canceled'] },
    timestamp: text,
    message,
  },
  ['timestamp', 'message'],
);
const artifact = closedObject({ artifactId: text, name: text, parts: listOf(part) });

/** A run as a task of the protocol of agents. */
export const taskSchema = namedObject(
  'AgentTask',
  { id: uuid, contextId: text, kind: { const: 'task' }, status, artifacts: listOf(artifact) },
  ['artifacts'],
);

/** An answer of JSON-RPC 2.0: a task, or an error. */
export const rpcAnswerSchema = namedObject(
  'AgentAnswer',
  {
    jsonrpc: { const: '2.0' },
    id,
    result: taskSchema,
    error: closedObject({ code: { type: 'integer' }, message: text, data: {} }, ['data']),
  },
  ['result', 'error'],
);

/** An event of a stream: an answer whose result is a task or a change of it. */
export const rpcEventSchema = namedObject(
  'AgentEvent',
  { jsonrpc: { const: '2.0' }, id, result: anyObject, error: anyObject },
  ['result', 'error'],
);

/** A request of JSON-RPC 2.0. */
export const rpcRequestSchema = {
  type: 'object',
  required: ['jsonrpc', 'id', 'method', 'params'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer'] },
    method: { enum: ['message/send', 'message/stream', 'tasks/get', 'tasks/cancel', 'tasks/resubscribe'] },
    params: { type: 'object' },
  },
} as const;

const skill = closedObject(
  {
    id: uuid,
    name: text,
    description: text,
    tags: listOf(text),
    examples: listOf(text),
    inputModes: listOf(text),
    outputModes: listOf(text),
    inputSchema: anyObject,
  },
  ['examples'],
);

export const agentCardSchema = namedObject('AgentCard', {
  name: text,
  description: text,
  url: text,
  version: text,
  protocolVersion: text,
  preferredTransport: { const: 'JSONRPC' },
  capabilities: closedObject({ streaming: flag, pushNotifications: flag }),
  defaultInputModes: listOf(text),
  defaultOutputModes: listOf(text),
  securitySchemes: anyObject,
  security: listOf(anyObject),
  skills: listOf(skill),
});

export const agentsSchema = listOf(
  closedObject({ id: uuid, name: text, description: orNull(text), cardUrl: text }),
);
