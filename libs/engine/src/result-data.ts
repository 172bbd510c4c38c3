import { Message, chatOutputResponse, messageArtifacts } from '@millrace/flow';
import type { PlanVertex, ResultData, TokenUsage } from '@millrace/flow';
import { jsonValue } from './json-value';
import type { OngoingRun } from './ongoing-run';
import { outputValue, vertexArtifact } from './vertex-artifact';
import type { VertexArtifact } from './vertex-artifact';
import type { VertexRecord } from './vertex-record';

/** What a vertex gave, in Langflow's shape. Waits for texts that are still being made. */
export async function resultData(
  run: OngoingRun,
  vertex: PlanVertex,
  made: VertexRecord,
): Promise<ResultData> {
  const record = hasUnfinishedText(made) ? await finishedRecord(run, made) : made;
  const { outputs } = record;
  const isInterface = vertex.isInput || vertex.isOutput;
  const messages = [...outputs.values()].filter((value) => value instanceof Message);
  const artifacts = new Map<string, VertexArtifact>();
  const results: Record<string, unknown> = {};
  const logs: Record<string, readonly unknown[]> = {};
  for (const [name, value] of outputs) {
    artifacts.set(name, vertexArtifact(value, record.status));
    if (isInterface) results[name] = jsonValue(value);
    logs[name] = record.logs.get(name) ?? [];
  }
  return {
    results,
    artifacts: chatArtifacts(vertex, messages) ?? Object.fromEntries(artifacts),
    outputs: allOutputs(vertex, record, artifacts),
    logs,
    messages: isInterface
      ? messages.filter(({ text }) => text !== '').map((message) => chatOutputResponse(message, vertex.id))
      : [],
    timedelta: null,
    duration: null,
    component_display_name: vertex.displayName,
    component_id: vertex.id,
    used_frozen_result: false,
    token_usage: isInterface ? null : tokenUsage(messages),
  };
}

function hasUnfinishedText(record: VertexRecord): boolean {
  for (const value of record.outputs.values()) {
    if (value instanceof Message && value.fields.stream !== null) return true;
  }
  return false;
}

async function finishedRecord(run: OngoingRun, record: VertexRecord): Promise<VertexRecord> {
  const outputs = new Map(record.outputs);
  let { status } = record;
  for (const [name, value] of outputs) {
    if (!(value instanceof Message) || value.fields.stream === null) continue;
    const text = await run.share(value.fields.stream).text();
    const finished = value.with({ text, stream: null });
    outputs.set(name, finished);
    if (status === value) status = finished;
  }
  return { ...record, outputs, status };
}

const chatTypes: ReadonlySet<string> = new Set(['ChatInput', 'ChatOutput']);

function isChat(vertex: PlanVertex): boolean {
  return chatTypes.has(vertex.component?.type ?? vertex.type);
}

/** Chat vertices show who said what in place of one artifact per output. */
function chatArtifacts(
  vertex: PlanVertex,
  messages: readonly Message[],
): Readonly<Record<string, unknown>> | null {
  const message = messages[0];
  return isChat(vertex) && message !== undefined ? { ...messageArtifacts(message) } : null;
}

/** Every output of the vertex, those that were not made as unknown. */
function allOutputs(
  vertex: PlanVertex,
  { outputs, status }: VertexRecord,
  artifacts: ReadonlyMap<string, VertexArtifact>,
): ResultData['outputs'] {
  const all: Record<string, { readonly message: unknown; readonly type: string }> = {};
  for (const name of new Set([...vertex.outputs, ...outputs.keys()])) {
    const value = outputs.get(name);
    const artifact = artifacts.get(name);
    if (value === undefined || artifact === undefined) {
      all[name] = { message: '', type: 'unknown' };
    } else {
      // What a vertex shows of itself decides: left alone, the value stands here whole, else as its artifact.
      all[name] = outputValue(value, status === null && !isChat(vertex) ? null : artifact);
    }
  }
  return all;
}

function tokenUsage(messages: readonly Message[]): TokenUsage | null {
  return (
    messages.find((message) => message.fields.properties.usage !== null)?.fields.properties.usage ?? null
  );
}
