import type { RecordSettings } from '@millrace/flow';
import type { RunEnd } from '@millrace/messages';
import type { ModelUsage, RunTrace, RunUsage, TracedValues, VertexTrace } from '@millrace/runs';
import { Message, Data, DataFrame, isHandle } from '@millrace/python-text';
import { callTraces } from './call-traces';
import type { SecretMask } from '../../secret-mask';
import { shownValue } from './shown-value';
import type { ShownCharacters } from './shown-value';
import type { ValueSizes, VertexEntry } from './recorded-vertex';

const MAXIMUM_VALUE_CHARACTERS = 65_536;
const MAXIMUM_ERROR_LENGTH = 4_096;
const MAXIMUM_NAME_LENGTH = 200;
const HIDDEN = '[hidden]';

/** What is kept of the vertices of runs. */
export type RecordPolicy = Required<Pick<RecordSettings, 'sampleRate' | 'values'>>;

/**
 * Returns the policy of a run: the settings of its flow, else those of the installation. A run that keeps values is part of
 * the sample, with its values unless they are off.
 */
export function policyOf(
  installation: RecordPolicy,
  flow: RecordSettings | null | undefined,
  keepsValues = false,
): RecordPolicy {
  const values = flow?.values ?? installation.values;
  if (keepsValues) return { sampleRate: 1, values: values === 'off' ? 'off' : 'all' };
  return { sampleRate: flow?.sampleRate ?? installation.sampleRate, values };
}

/** What is shown of one attempt: its vertices, or these with their inputs and outputs. */
export interface KeptRecord {
  /** Why it is kept; `running` for an attempt that goes on, of which nothing is kept yet. */
  readonly reason: 'failed' | 'sampled' | 'running';
  readonly withValues: boolean;
}

/**
 * Decides what is kept of an attempt that ended so; null for nothing. Whether a run is part of the sample depends on its
 * id alone, so that all attempts of a run agree. `isRare` tells whether a run beyond the sample is kept; it is not asked
 * with a sample of none.
 */
export function decideRecord(
  { sampleRate, values }: RecordPolicy,
  runId: string,
  status: RunEnd,
  isRare: () => boolean,
): KeptRecord | null {
  const hasFailed = status !== 'succeeded' && status !== 'cancelled';
  if (hasFailed) return { reason: 'failed', withValues: values !== 'off' };
  if (sampleRate === 0 || !(placeInSample(runId) < sampleRate || isRare())) return null;
  return { reason: 'sampled', withValues: values === 'all' };
}

/** Returns a number from 0 to below 1 that is made of the random digits at the end of the id. */
function placeInSample(runId: string): number {
  return Number.parseInt(runId.slice(-8), 16) / 0x1_0000_0000;
}

/** The attempt of a trace. */
export interface TraceFrame {
  readonly flowId: string;
  readonly attempt: number;
  /** By the database's clock, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The same time by `performance.now()`. */
  readonly started: number;
  readonly kept: KeptRecord;
  readonly mask: SecretMask;
  /** Sizes that are not known when no time is left are left out. */
  readonly measuring: { millisecondsLeft: number };
  /** Executions of vertices without an entry. */
  readonly omitted: number;
}

/** Returns the trace of an attempt as JSON text. */
export function buildTrace(entries: readonly VertexEntry[], frame: TraceFrame): string {
  const characters = frame.kept.withValues ? { left: MAXIMUM_VALUE_CHARACTERS } : null;
  const traces = new Map<VertexEntry, VertexTrace>();
  const add = (entry: VertexEntry): void => void traces.set(entry, vertexTrace(entry, frame, characters));
  // Those of failed vertices come first, because the characters of all values together are bounded.
  for (const entry of entries) if (entry.hasFailed) add(entry);
  for (const entry of entries) if (!entry.hasFailed) add(entry);
  const trace: RunTrace = {
    version: 1,
    attempt: frame.attempt,
    reason: frame.kept.reason,
    startedAt: frame.startedAt,
    milliseconds: rounded(performance.now() - frame.started),
    vertices: [...traces.values()].sort((one, other) => one.start - other.start),
    omitted: frame.omitted,
  };
  return JSON.stringify(trace);
}

/** Returns what an attempt used, without names of models that are secret. */
export function shownUsage(usage: RunUsage | null, mask: () => SecretMask): RunUsage | null {
  if (usage === null) return null;
  return { ...usage, models: shownModels(usage.models, mask()) };
}

function shownModels(models: readonly ModelUsage[], mask: SecretMask): readonly ModelUsage[] {
  return models.map((usage) => ({
    ...usage,
    provider: mask.start(usage.provider, MAXIMUM_NAME_LENGTH),
    model: mask.start(usage.model, MAXIMUM_NAME_LENGTH),
  }));
}

/** Leaves out what there is not, because most vertices have no model, tool, error or values. */
function vertexTrace(
  entry: VertexEntry,
  { flowId, started, mask, kept, measuring }: TraceFrame,
  characters: ShownCharacters | null,
): VertexTrace {
  const { execution, hasFailed, open, toolCalls } = entry;
  const { vertex } = execution;
  const usage = entry.usage?.sum() ?? null;
  const end = open > 0 ? performance.now() : entry.lastEnd;
  const running = open > 0 ? end - entry.firstStart : 0;
  const sizes = sizesOf(entry, measuring);
  const unended = kept.reason === 'running' ? 'running' : 'unfinished';
  return {
    id: vertex.id,
    name: mask.start(vertex.displayName, MAXIMUM_NAME_LENGTH),
    type: vertex.type,
    ...(execution.flowId === flowId ? {} : { flowId: execution.flowId }),
    state: hasFailed ? 'failed' : open > 0 ? unended : 'succeeded',
    executions: entry.executions,
    start: rounded(entry.firstStart - started),
    end: rounded(end - started),
    milliseconds: rounded(Math.max(entry.milliseconds, running)),
    longest: rounded(Math.max(entry.longest, running)),
    inputBytes: sizes?.inputs ?? null,
    outputBytes: sizes?.outputs ?? null,
    ...(usage && { models: shownModels(usage.models, mask) }),
    ...(toolCalls > 0 ? { toolCalls } : {}),
    ...(hasFailed ? { error: mask.start(messageOf(entry.error), MAXIMUM_ERROR_LENGTH) } : {}),
    ...(characters && shownValues(entry, valuesOf(entry), mask, characters)),
    ...(entry.calls.length > 0
      ? { calls: callTraces(entry.calls, { started, mask, unended, characters }) }
      : {}),
  };
}

/** Measures values once: a run that is watched is asked about again and again. */
function sizesOf(entry: VertexEntry, measuring: TraceFrame['measuring']): ValueSizes | null {
  if (entry.sizes !== null || measuring.millisecondsLeft <= 0) return entry.sizes;
  const began = performance.now();
  const { inputs, outputs } = valuesOf(entry);
  entry.sizes = { inputs: sizeOf(Object.values(inputs)), outputs: sizeOf(Object.values(outputs)) };
  measuring.millisecondsLeft -= performance.now() - began;
  return entry.sizes;
}

interface EntryValues {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

function valuesOf({ values, record, answer }: VertexEntry): EntryValues {
  const outputs: Record<string, unknown> = {};
  for (const [name, value] of record?.outputs ?? []) {
    const isStreamed = value instanceof Message && value.fields.stream !== null;
    outputs[name] = isStreamed ? value.with({ text: answer, stream: null }) : value;
  }
  return { inputs: values?.fields() ?? {}, outputs };
}

export function shownValues(
  { execution }: VertexEntry,
  { inputs, outputs }: EntryValues,
  mask: SecretMask,
  characters: ShownCharacters,
): { readonly inputs: TracedValues; readonly outputs: TracedValues } {
  const { run, vertex } = execution;
  const given = Object.entries(inputs).filter(([, value]) => !isEmpty(value));
  return {
    inputs: Object.fromEntries(
      given.map(([name, value]) => [
        name,
        run.isSecret(vertex, name) ? HIDDEN : shownValue(value, mask, characters),
      ]),
    ),
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, value]) => [name, shownValue(value, mask, characters)]),
    ),
  };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}

/** Larger values are not measured to the end. */
const MAXIMUM_BYTES = 1_048_576;

/** Returns the approximate size of values as JSON, in bytes; null when it is above 1 MiB. */
function sizeOf(values: Iterable<unknown>): number | null {
  let bytes = 0;
  for (const value of values) {
    bytes = sizeWith(value, bytes);
    if (bytes > MAXIMUM_BYTES) return null;
  }
  return bytes;
}

function sizeWith(value: unknown, before: number): number {
  if (typeof value === 'string') return before + byteLength(value) + 2;
  if (typeof value !== 'object' || value === null || isHandle(value)) return before + 4;
  const content = contentOf(value);
  let bytes = before + 2;
  if (Array.isArray(content)) {
    for (const item of content) {
      bytes = sizeWith(item, bytes) + 1;
      if (bytes > MAXIMUM_BYTES) return bytes;
    }
    return bytes;
  }
  for (const key in content) {
    bytes = sizeWith((content as Readonly<Record<string, unknown>>)[key], bytes + key.length + 4);
    if (bytes > MAXIMUM_BYTES) return bytes;
  }
  return bytes;
}

function byteLength(text: string): number {
  return text.length > MAXIMUM_BYTES ? text.length : Buffer.byteLength(text);
}

function contentOf(value: object): object {
  if (value instanceof Message) return { text: value.text, files: value.fields.files };
  if (value instanceof Data) return value.data;
  return value instanceof DataFrame ? value.rows : value;
}
