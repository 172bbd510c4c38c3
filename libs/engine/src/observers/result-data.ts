import { chatOutputResponse, messageArtifacts, messageToResult } from '@millrace/flow';
import type { PlanVertex, ResultData, TokenUsage } from '@millrace/flow';
import { Message, Data, DataFrame, isHandle, str, PythonFloat } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { OngoingRun } from '../run/ongoing-run';
import type { VertexRecord } from '../run/vertex-record';
import { contentGroups, textContent, withOutput } from '../messages/content-groups';
import { isStreaming, completeMessage } from '../messages/send-message';

/**
 * Returns the result of a vertex in Langflow's shape, for the answer of a run or for those who follow it. Waits for streaming
 * texts.
 */
export async function resultData(
  run: OngoingRun,
  vertex: PlanVertex,
  computedRecord: VertexRecord,
  reader: 'caller' | 'follower' = 'caller',
): Promise<ResultData> {
  const complete = await completeRecord(run, computedRecord);
  const record = reader === 'follower' ? withStopped(run, vertex, complete) : complete;
  const { outputs } = record;
  const isInterface = vertex.isInput || vertex.isOutput;
  const messages = [...outputs.values()].filter((value) => value instanceof Message);
  const chat = chatMessage(vertex, messages);
  const artifacts: Record<string, unknown> = chat === null ? {} : chatArtifacts(chat, record);
  const results: Record<string, unknown> = {};
  const logs: Record<string, readonly unknown[]> = {};
  const statuses = shownStatuses(record);
  for (const [name, value] of outputs) {
    if (chat === null) artifacts[name] = vertexArtifact(value, statuses.get(name) ?? null);
    if (isInterface)
      results[name] =
        value instanceof Message && value === chat ? chatResult(run, value, reader) : jsonValue(value);
    logs[name] = record.logs.get(name) ?? [];
  }
  return {
    results,
    artifacts,
    outputs: allOutputs(vertex, record, statuses),
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

/** Followers see an empty message at an output that has an edge and that the vertex stopped, as in Langflow. */
function withStopped(run: OngoingRun, vertex: PlanVertex, record: VertexRecord): VertexRecord {
  const { outputs, stopped, status, shown } = record;
  const missing = vertex.wanted.filter((name) => stopped.has(name) && !outputs.has(name));
  if (missing.length === 0) return record;
  const other = [...outputs.values()].find((value) => value instanceof Message);
  const empty = new Message({ text: '', timestamp: other?.fields.timestamp ?? '', flowId: run.plan.flowId });
  const given = new Map([...outputs, ...missing.map((name) => [name, empty] as const)]);
  // A vertex whose status is its message shows the empty one.
  const own = status instanceof Message && shown !== undefined ? missing : [];
  const byOutput = new Map([...(shown?.byOutput ?? []), ...own.map((name) => [name, empty] as const)]);
  return {
    ...record,
    outputs: new Map(
      vertex.wanted.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? null]] : [])),
    ),
    ...(shown === undefined ? {} : { shown: { ...shown, byOutput } }),
  };
}

const chatTypes: ReadonlySet<string> = new Set(['ChatInput', 'ChatOutput']);

/** Returns the message of a chat vertex, whose sender is shown in place of one artifact per output. */
function chatMessage(vertex: PlanVertex, messages: readonly Message[]): Message | null {
  return chatTypes.has(vertex.component?.type ?? vertex.type) ? (messages[0] ?? null) : null;
}

/** Returns the artifacts of a chat vertex, which name the sender as the vertex did, and not as its message was stored. */
function chatArtifacts(message: Message, { sentName }: VertexRecord): Record<string, unknown> {
  return { ...messageArtifacts(message), ...(sentName === undefined ? {} : { sender_name: sentName }) };
}

/**
 * Returns the message of a chat vertex. As in Langflow 1.13, its text comes once more behind the blocks when the message has got
 * the tokens of the models before it: callers see it in the steps of an agent, followers as a content beside the groups.
 */
function chatResult(run: OngoingRun, message: Message, reader: 'caller' | 'follower'): object {
  const result = messageToResult(message);
  const { contentBlocks: blocks, properties } = message.fields;
  if (run.environment.langflow === '1.11' || properties.usage === null || message.text === '') return result;
  const content_blocks =
    reader === 'follower'
      ? [...contentGroups(blocks), textContent(message.text)]
      : withOutput(blocks, message.text);
  return { ...result, content_blocks };
}

/** Returns every output of the vertex; outputs that were not computed are unknown. */
function allOutputs(
  vertex: PlanVertex,
  { outputs, status }: VertexRecord,
  statuses: ReadonlyMap<string, PythonValue>,
): ResultData['outputs'] {
  const all: Record<string, OutputEntry> = {};
  for (const name of new Set([...vertex.outputs, ...outputs.keys()])) {
    const value = outputs.get(name);
    // Without a status, the values are shown completely.
    all[name] =
      value === undefined
        ? { message: '', type: 'unknown' }
        : status === null
          ? wholeEntry(value)
          : outputEntry(contentOf(value, statuses.get(name) ?? null));
  }
  return all;
}

/** Returns the tokens of a vertex whose result is that of an earlier run. */
function tokenUsage(messages: readonly Message[]): TokenUsage | null {
  return (
    messages.find((message) => message.fields.properties.usage !== null)?.fields.properties.usage ?? null
  );
}

/** Returns the record with all texts complete; a promise only when a text is still streaming. */
export function completeRecord(run: OngoingRun, record: VertexRecord): VertexRecord | Promise<VertexRecord> {
  for (const value of record.outputs.values()) if (isStreaming(value)) return finishedRecord(run, record);
  return record;
}

async function finishedRecord(run: OngoingRun, record: VertexRecord): Promise<VertexRecord> {
  const outputs = new Map(record.outputs);
  let { status } = record;
  for (const [name, value] of outputs) {
    if (!isStreaming(value)) continue;
    const finished = await completeMessage(run, value);
    outputs.set(name, finished);
    if (status === value) status = finished;
  }
  return { ...record, outputs, status };
}

/** One output of a vertex as shown to observers. */
export interface VertexArtifact {
  readonly repr: string;
  readonly raw: unknown;
  readonly type: ArtifactType;
}

type ArtifactType = 'text' | 'object' | 'array' | 'unknown';

/**
 * Returns the status at each output: outputs are computed one after the other, and the text of a message stays as the status
 * of those behind it that set none.
 */
function shownStatuses({ outputs, status, shown }: VertexRecord): ReadonlyMap<string, PythonValue> {
  const statuses = new Map<string, PythonValue>();
  let carried: PythonValue = null;
  for (const [name, value] of outputs) {
    // A record without `shown` has one status for all.
    const set = shown === undefined ? status : (shown.byOutput?.get(name) ?? completed(shown.all, status));
    statuses.set(name, set ?? carried ?? (value instanceof Message ? value : null));
    if (value instanceof Message) carried = value.text;
  }
  return statuses;
}

/** A message that was set as the status before its text was complete is complete in the record. */
const completed = (shown: PythonValue, status: PythonValue) => (shown === null ? null : status);

/** Returns the artifact of an output for its status. */
function vertexArtifact(value: PythonValue, status: PythonValue): VertexArtifact {
  const content = contentOf(value, status);
  // A message makes its text the status.
  const type = value instanceof Message ? 'text' : artifactType(isTruthy(status) ? status : value);
  return {
    repr: representation(value, status),
    raw: type === 'unknown' ? null : raw(content),
    type: type === 'unknown' && isModel(value) ? 'object' : type,
  };
}

/** Whether Langflow shows the members of a value, which can contain keys, as an object. */
function isModel(value: PythonValue): boolean {
  return isHandle(value) && (value.kind === 'language-model' || value.kind === 'embeddings');
}

/** Returns what is shown as the content of an output: of a list, a number or a truth value its status, where there is one. */
function contentOf(value: PythonValue, status: PythonValue): PythonValue {
  const isBare = Array.isArray(value) || typeof value === 'number' || typeof value === 'boolean';
  return isBare && isTruthy(status) ? status : value;
}

/** One entry of a result's `outputs`. */
interface OutputEntry {
  readonly message: unknown;
  readonly type: string;
}

/** Returns the entry of an output with its complete value. */
function wholeEntry(value: PythonValue): OutputEntry {
  if (value instanceof Message) return { message: messageToResult(value).data, type: 'message' };
  return value instanceof Data ? { message: dataContent(value), type: 'data' } : outputEntry(value);
}

/** Returns the entry of an output with its content. */
function outputEntry(value: PythonValue): OutputEntry {
  const type = artifactType(value);
  return { message: type === 'unknown' ? '' : raw(value), type };
}

/** An empty Data is shown as its fields, as clients expect. */
function dataContent(value: Data): unknown {
  if (Object.keys(value.data).length > 0) return jsonObject(value.data);
  return [
    ['text_key', value.textKey],
    ['data', {}],
    ['default_value', value.defaultValue],
  ];
}

function artifactType(value: PythonValue): ArtifactType {
  if (typeof value === 'string' || value instanceof Message) return 'text';
  if (Array.isArray(value) || value instanceof DataFrame) return 'array';
  if (value instanceof Data) return 'object';
  return isPlainObject(value) && !isHandle(value) ? 'object' : 'unknown';
}

function isPlainObject(value: PythonValue): value is PythonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function raw(value: PythonValue): unknown {
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return jsonObject(value.data);
  return value instanceof DataFrame ? jsonRows(value) : jsonValue(value);
}

function representation(value: PythonValue, status: PythonValue): string {
  if (status !== null) return str(status);
  const showsItself =
    typeof value === 'string' || value instanceof Message || value instanceof Data || isPlainObject(value);
  return showsItself && !isHandle(value) ? str(value) : 'None';
}

function isTruthy(status: PythonValue): boolean {
  if (status === null || status === '' || status === false || status === 0) return false;
  if (Array.isArray(status)) return status.length > 0;
  return !(status instanceof DataFrame) || status.rows.length > 0;
}

/** Returns a value for results, ready for JSON.stringify; a handle, which can contain keys, becomes null. */
function jsonValue(value: PythonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof PythonFloat) return value.value;
  if (value instanceof Message) return messageToResult(value);
  if (value instanceof Data) {
    return { text_key: value.textKey, data: jsonObject(value.data), default_value: value.defaultValue };
  }
  if (value instanceof DataFrame) return jsonRows(value);
  if (Array.isArray(value)) return (value as readonly PythonValue[]).map(jsonValue);
  return isHandle(value) ? null : jsonObject(value as PythonObject);
}

/** Returns the members of an object as JSON. */
function jsonObject(object: PythonObject): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, jsonValue(value)]));
}

/** Returns the rows of a table: every column in every row, missing cells as null. */
function jsonRows(table: DataFrame): readonly Readonly<Record<string, unknown>>[] {
  // As in pandas.
  if (table.columns.length === 0) return [];
  return table.rows.map((row) =>
    Object.fromEntries(
      table.columns.map((column) => [
        column,
        Object.hasOwn(row, column) ? jsonValue(row[column] ?? null) : null,
      ]),
    ),
  );
}
