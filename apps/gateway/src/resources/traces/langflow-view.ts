import { createHash } from 'node:crypto';
import { elapsedText } from '@millrace/flow';
import type { RunStatus, StoredTrace, TracedValues, VertexTrace } from '@millrace/runs';

/** The states of traces in Langflow. */
export const traceStatuses = ['unset', 'ok', 'error'] as const;
export type TraceStatus = (typeof traceStatuses)[number];

const statusesOf: Readonly<Record<TraceStatus, readonly RunStatus[]>> = {
  unset: ['accepted', 'queued', 'running', 'suspended'],
  ok: ['succeeded'],
  error: ['failed', 'cancelled', 'timed_out', 'dead'],
};

/** Returns the statuses of runs whose traces Langflow shows with this status. */
export function runStatusesOf(status: TraceStatus): readonly RunStatus[] {
  return statusesOf[status];
}

/** Returns a trace in the shape of Langflow's list. */
export function traceSummaryView(stored: StoredTrace): Record<string, unknown> {
  const { runId, flowId, flowName, sessionId, trace } = stored;
  const { vertices } = trace;
  const chatInput = vertices.find(({ type }) => type === 'ChatInput')?.inputs?.['input_value'];
  const last = vertices.toSorted((one, other) => other.end - one.end)[0]?.outputs;
  return {
    id: runId,
    name: flowName,
    status: statusOf(stored.status),
    startTime: new Date(Math.round(trace.startedAt)).toISOString(),
    totalLatencyMs: Math.round(trace.milliseconds),
    totalTokens: vertices.reduce((sum, vertex) => sum + tokensOf(vertex).totalTokens, 0),
    flowId,
    sessionId,
    input: chatInput ? { input_value: chatInput } : null,
    output: last && Object.keys(last).length > 0 ? last : null,
  };
}

/** Returns a trace in Langflow's shape, with a span for each vertex. */
export function wholeTraceView(stored: StoredTrace): Record<string, unknown> {
  const { trace } = stored;
  return {
    ...traceSummaryView(stored),
    endTime: timeOf(stored, trace.milliseconds),
    spans: trace.vertices.map((vertex, index) => spanView(stored, vertex, index)),
  };
}

function spanView(stored: StoredTrace, vertex: VertexTrace, index: number): Record<string, unknown> {
  return {
    id: idOf(stored, index),
    name: vertex.name,
    type: spanType(vertex),
    status: vertex.state === 'succeeded' ? 'ok' : vertex.state === 'failed' ? 'error' : 'unset',
    startTime: timeOf(stored, vertex.start),
    endTime: timeOf(stored, vertex.end),
    latencyMs: Math.round(vertex.milliseconds),
    inputs: vertex.inputs ?? null,
    outputs: vertex.outputs ?? null,
    error: vertex.error ?? null,
    modelName: vertex.models?.[0]?.model ?? null,
    tokenUsage: tokensOf(vertex),
    children: [],
  };
}

/** Returns a vertex in the shape of Langflow's list of values between vertices. */
export function transactionView(
  stored: StoredTrace,
  vertex: VertexTrace,
  index: number,
): Record<string, unknown> {
  return {
    id: idOf(stored, index),
    timestamp: timeOf(stored, vertex.end),
    vertex_id: vertex.id,
    target_id: null,
    inputs: vertex.inputs ?? {},
    outputs: vertex.outputs ?? {},
    status: vertex.state === 'failed' ? 'error' : 'success',
  };
}

/** Returns a vertex in the shape of Langflow's builds. */
export function buildView(stored: StoredTrace, vertex: VertexTrace, index: number): Record<string, unknown> {
  const outputs = Object.entries(vertex.outputs ?? {});
  return {
    timestamp: timeOf(stored, vertex.end),
    id: vertex.id,
    data: {
      results: {},
      outputs: Object.fromEntries(outputs.map(([name, value]) => [name, outputView(value)])),
      logs: Object.fromEntries(outputs.map(([name]) => [name, []])),
      messages: [],
      duration: elapsedText(vertex.milliseconds),
    },
    artifacts: {},
    params: vertex.error ?? null,
    valid: vertex.state === 'succeeded',
    flow_id: stored.flowId,
    job_id: stored.runId,
    build_id: idOf(stored, index),
  };
}

function outputView(value: unknown): Record<string, unknown> {
  if (typeof value === 'string') return { message: value, type: 'text' };
  if (Array.isArray(value)) return { message: value, type: 'array' };
  if (typeof value !== 'object' || value === null) return { message: '', type: 'unknown' };
  const { text } = value as TracedValues;
  return typeof text === 'string' ? { message: text, type: 'text' } : { message: value, type: 'object' };
}

function spanType({ type, models }: VertexTrace): 'agent' | 'embedding' | 'llm' | 'chain' {
  if (type.includes('Agent')) return 'agent';
  if (type.includes('Embedding')) return 'embedding';
  return models === undefined ? 'chain' : 'llm';
}

function tokensOf({ models = [] }: VertexTrace) {
  const promptTokens = models.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const completionTokens = models.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

function statusOf(status: RunStatus): TraceStatus {
  return traceStatuses.find((known) => statusesOf[known].includes(status)) ?? 'unset';
}

function timeOf({ trace }: StoredTrace, milliseconds: number): string {
  return new Date(Math.round(trace.startedAt + milliseconds)).toISOString();
}

/** Returns a UUID that is the same in each answer: the place of the vertex in the trace. */
function idOf({ runId }: StoredTrace, index: number): string {
  const hex = createHash('sha256').update(`${runId} ${index}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
