import {
  ComponentError,
  convertSetting,
  hasVariableCells,
  namesVariable,
  resolveField,
} from '@millrace/flow';
import type { PlanEdge, PlanField, PlanSetting, PlanVertex, VertexOverrides } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { OngoingRun } from '../run/ongoing-run';
import type { ExecutionScope } from './execution-scope';
import { isStreaming, completeMessage } from '../messages/send-message';
import type { VertexValues } from '../run/given-values';

type Changes = Map<string, PythonValue | undefined>;

/**
 * Computes a vertex's values: saved values, overridden by tweaks, stored variables, the request, and finally edges.
 * Returns a promise only when it must look up a variable or wait for a streaming text.
 */
export function vertexValues(
  run: OngoingRun,
  vertex: PlanVertex,
  executionScope: ExecutionScope,
): VertexValues | Promise<VertexValues> {
  const overrides = run.overrides.get(vertex.index);
  const changes: Changes = new Map();
  const waits: Promise<void>[] = [];
  const set = (name: string, value: PythonValue | undefined | Promise<PythonValue>): void => {
    if (value instanceof Promise) waits.push(settled(value.then((late) => void changes.set(name, late))));
    else changes.set(name, value);
  };
  if (overrides !== undefined) applyOverrides(run, vertex, overrides, set);
  for (const { name, field } of vertex.variables) {
    if (overrides?.fields.has(name) !== true && overrides?.values.has(name) !== true && field !== null) {
      set(name, fieldValue(run, field));
    }
  }
  for (const setting of vertex.connected)
    set(setting.name, connectedValue(run, vertex, setting, executionScope));
  if (waits.length === 0) return withChanges(vertex, changes);
  return Promise.all(waits).then(() => withChanges(vertex, changes));
}

/**
 * Marks a promise as handled, because it can reject before it is awaited, or is never awaited when another value
 * failed.
 */
function settled(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}

function applyOverrides(
  run: OngoingRun,
  vertex: PlanVertex,
  overrides: VertexOverrides,
  set: (name: string, value: PythonValue | undefined | Promise<PythonValue>) => void,
): void {
  for (const [name, field] of overrides.fields) {
    if (overrides.values.has(name) || isConnected(vertex, name)) continue;
    set(name, fieldValue(run, field));
  }
  for (const [name, value] of overrides.values) {
    if (!isConnected(vertex, name)) set(name, value);
  }
}

function isConnected(vertex: PlanVertex, name: string): boolean {
  const setting = vertex.settings.get(name);
  return setting !== undefined && setting.edges.length > 0;
}

/** Returns the value of a field without an edge, with stored variables resolved. */
function fieldValue(run: OngoingRun, field: PlanField): PythonValue | undefined | Promise<PythonValue> {
  if (namesVariable(field)) return storedVariable(run, field.value);
  return hasVariableCells(field)
    ? withVariableCells(run, field)
    : resolveField(field, run.environment.langflow);
}

async function storedVariable(run: OngoingRun, name: string): Promise<PythonValue> {
  const value = await run.variable(name);
  if (value === undefined) run.environment.onMissingVariable?.(name);
  return value ?? null;
}

/** Returns the rows of a table with each cell of its variable columns resolved: null for an unknown variable. */
function withVariableCells(
  run: OngoingRun,
  { value, variableColumns }: PlanField & { readonly value: readonly PythonValue[] },
): Promise<PythonValue> {
  return Promise.all(
    value.map(async (row) => {
      if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
      const cells: Record<string, PythonValue> = { ...(row as PythonObject) };
      for (const column of variableColumns) {
        const name = Object.hasOwn(cells, column) ? cells[column] : null;
        if (typeof name === 'string' && name !== '') cells[column] = await storedVariable(run, name);
      }
      return cells;
    }),
  );
}

function withChanges(vertex: PlanVertex, changes: Changes): VertexValues {
  for (const { name, failure } of vertex.failing) {
    if (failure !== null && !changes.has(name)) throw failure;
  }
  if (changes.size === 0) return { inputs: vertex.inputs, fields: () => vertex.values };
  const inputs: Record<string, unknown> = { ...vertex.inputs };
  for (const [name, value] of changes) {
    const input = vertex.settings.get(name)?.input ?? null;
    if (input !== null) inputs[name] = convertSetting(input, value, name);
  }
  return { inputs, fields: () => changedFields(vertex, changes) };
}

function changedFields(vertex: PlanVertex, changes: Changes): Readonly<Record<string, PythonValue>> {
  const fields = Object.create(null) as Record<string, PythonValue>;
  for (const name in vertex.values) {
    const value = vertex.values[name];
    if (value !== undefined && !changes.has(name)) fields[name] = value;
  }
  for (const [name, value] of changes) if (value !== undefined) fields[name] = value;
  return fields;
}

/**
 * Returns the value that the edges of a setting deliver. Edges of stopped branches deliver nothing: a list omits them,
 * a single value falls back to the saved one.
 */
function connectedValue(
  run: OngoingRun,
  vertex: PlanVertex,
  setting: PlanSetting,
  executionScope: ExecutionScope,
): PythonValue | undefined | Promise<PythonValue> {
  const takesStreams = vertex.component?.takesStreams === true;
  if (setting.list) {
    const list = edgeValues(run, setting, executionScope).flatMap((value) =>
      Array.isArray(value) ? (value as readonly PythonValue[]) : [value],
    );
    return !takesStreams && list.some(isStreaming)
      ? Promise.all(list.map((value) => (isStreaming(value) ? completeMessage(run, value) : value)))
      : list;
  }
  const value = edgeValue(run, setting, executionScope);
  if (value === undefined) return setting.value ?? setting.field?.value ?? undefined;
  if (!takesStreams && isStreaming(value)) {
    return completeMessage(run, value).then((message) => intoSingleEntry(setting, message));
  }
  return intoSingleEntry(setting, value);
}

/**
 * Returns the value of one of several edges: an active edge before a stopped one, an edge that closes a cycle before
 * others, and of these the last.
 */
function edgeValue(
  run: OngoingRun,
  setting: PlanSetting,
  executionScope: ExecutionScope,
): PythonValue | undefined {
  const { edges } = setting;
  const value = edgeValues(run, setting, executionScope).at(-1);
  if (value !== undefined) return value;
  // The source vertex stopped this output but returned a value for it.
  for (const edge of edges.toReversed()) {
    if (!executionScope.scope.backEdges.has(edge))
      return executionScope.records[edge.source]?.outputs.get(edge.sourceOutput);
  }
  return undefined;
}

/** Returns the values of the active edges; those of edges that close a cycle are last. */
function edgeValues(
  run: OngoingRun,
  setting: PlanSetting,
  { records, scope }: ExecutionScope,
): readonly PythonValue[] {
  const values: PythonValue[] = [];
  const back: PythonValue[] = [];
  for (const edge of setting.edges) {
    const record = records[edge.source];
    if (record === undefined || record.stopped.has(edge.sourceOutput)) continue;
    const value = record.outputs.get(edge.sourceOutput);
    if (value === undefined) throw missingOutput(run, setting, edge);
    (scope.backEdges.has(edge) ? back : values).push(value);
  }
  return back.length === 0 ? values : [...values, ...back];
}

function missingOutput({ plan }: OngoingRun, { name }: PlanSetting, edge: PlanEdge): ComponentError {
  const source = plan.vertices[edge.source];
  return new ComponentError(
    `"${source?.displayName ?? ''}" (${source?.type ?? ''}) returned no output "${edge.sourceOutput}" ` +
      `for the input "${name}" of "${plan.vertices[edge.target]?.displayName ?? ''}".`,
  );
}

/** If the saved value is an object with one entry, the value of the edge becomes that entry. */
function intoSingleEntry(setting: PlanSetting, value: PythonValue): PythonValue {
  const saved = setting.field?.value;
  if (typeof saved !== 'object' || saved === null || Object.getPrototypeOf(saved) !== Object.prototype) {
    return value;
  }
  const [key, ...others] = Object.keys(saved as PythonObject);
  return key === undefined || others.length > 0 ? value : Object.fromEntries([[key, value]]);
}
