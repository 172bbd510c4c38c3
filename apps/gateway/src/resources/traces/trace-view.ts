import type { CallTrace, StoredTrace, TracedMessage, VertexTrace } from '@millrace/runs';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { modelUsageView, usageView } from '../../run-views/usage-view';

/** Returns what the vertices of a run did. */
export function traceView({
  runId,
  flowId,
  sessionId,
  status,
  usage,
  trace,
}: Pick<StoredTrace, 'runId' | 'flowId' | 'sessionId' | 'status' | 'usage' | 'trace'>): Record<
  string,
  unknown
> {
  return {
    run_id: runId,
    flow_id: flowId,
    session_id: sessionId,
    status,
    attempt: trace.attempt,
    reason: trace.reason,
    started_at: pythonIsoFormat(new Date(Math.round(trace.startedAt))),
    milliseconds: trace.milliseconds,
    usage: usageView(usage),
    vertices: trace.vertices.map((vertex) => vertexView(vertex, flowId)),
    omitted_executions: trace.omitted,
  };
}

function vertexView(vertex: VertexTrace, flowId: string): Record<string, unknown> {
  return {
    id: vertex.id,
    name: vertex.name,
    type: vertex.type,
    flow_id: vertex.flowId ?? flowId,
    state: vertex.state,
    executions: vertex.executions,
    start_milliseconds: vertex.start,
    end_milliseconds: vertex.end,
    milliseconds: vertex.milliseconds,
    longest_milliseconds: vertex.longest,
    input_bytes: vertex.inputBytes,
    output_bytes: vertex.outputBytes,
    tool_calls: vertex.toolCalls ?? 0,
    models: (vertex.models ?? []).map(modelUsageView),
    calls: (vertex.calls ?? []).map(callView),
    error: vertex.error ?? null,
    inputs: vertex.inputs ?? null,
    outputs: vertex.outputs ?? null,
  };
}

function callView(call: CallTrace): Record<string, unknown> {
  return {
    kind: call.kind,
    name: call.name,
    provider: call.provider ?? null,
    state: call.state,
    start_milliseconds: call.start,
    end_milliseconds: call.end,
    input_tokens: call.inputTokens ?? null,
    output_tokens: call.outputTokens ?? null,
    cost_usd: call.cost ?? null,
    error: call.error ?? null,
    earlier_messages: call.earlierMessages ?? 0,
    messages: call.messages?.map(messageView) ?? null,
    answer: call.answer ? messageView(call.answer) : null,
    arguments: call.arguments ?? null,
    result: call.result ?? null,
  };
}

function messageView({ role, content, toolCalls = [] }: TracedMessage): Record<string, unknown> {
  return { role, content, tool_calls: toolCalls };
}
