import { chatOutputResponse, messageArtifacts } from '@millrace/flow';
import type { PlanVertex, ResultData, TokenUsage } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { jsonValue } from './json-value';
import type { OngoingRun } from '../run/ongoing-run';
import { outputEntry, vertexArtifact } from './vertex-artifact';
import type { OutputEntry } from './vertex-artifact';
import type { VertexRecord } from '../run/vertex-record';
import { completeRecord } from './complete-record';

/** Returns the result of a vertex in Langflow's shape. Waits for streaming texts. */
export async function resultData(
  run: OngoingRun,
  vertex: PlanVertex,
  computedRecord: VertexRecord,
): Promise<ResultData> {
  const record = await completeRecord(run, computedRecord);
  const { outputs } = record;
  const isInterface = vertex.isInput || vertex.isOutput;
  const messages = [...outputs.values()].filter((value) => value instanceof Message);
  const chat = chatMessage(vertex, messages);
  const artifacts: Record<string, unknown> = chat === null ? {} : { ...messageArtifacts(chat) };
  const results: Record<string, unknown> = {};
  const logs: Record<string, readonly unknown[]> = {};
  for (const [name, value] of outputs) {
    if (chat === null) artifacts[name] = vertexArtifact(value, record.status);
    if (isInterface) results[name] = jsonValue(value);
    logs[name] = record.logs.get(name) ?? [];
  }
  return {
    results,
    artifacts,
    outputs: allOutputs(vertex, record),
    logs,
    messages: isInterface
      ? messages.filter(({ text }) => text !== '').map((message) => chatOutputResponse(message, vertex.id))
      : [],
    timedelta: null,
    duration: null,
    component_display_name: vertex.displayName,
    component_id: vertex.id,
    used_frozen_result: record.reused,
    token_usage: isInterface ? null : (run.tokens.of(vertex) ?? tokenUsage(messages)),
  };
}

const chatTypes: ReadonlySet<string> = new Set(['ChatInput', 'ChatOutput']);

/** Returns the message of a chat vertex, whose sender is shown in place of one artifact per output. */
function chatMessage(vertex: PlanVertex, messages: readonly Message[]): Message | null {
  return chatTypes.has(vertex.component?.type ?? vertex.type) ? (messages[0] ?? null) : null;
}

/** Returns every output of the vertex; outputs that were not computed are unknown. */
function allOutputs(vertex: PlanVertex, { outputs, status }: VertexRecord): ResultData['outputs'] {
  const all: Record<string, OutputEntry> = {};
  for (const name of new Set([...vertex.outputs, ...outputs.keys()])) {
    const value = outputs.get(name);
    // Without a status, the values are shown completely.
    all[name] = value === undefined ? { message: '', type: 'unknown' } : outputEntry(value, status === null);
  }
  return all;
}

/** Returns the tokens of a vertex whose result is that of an earlier run. */
function tokenUsage(messages: readonly Message[]): TokenUsage | null {
  return (
    messages.find((message) => message.fields.properties.usage !== null)?.fields.properties.usage ?? null
  );
}
