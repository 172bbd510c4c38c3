import {
  ComponentError,
  convertSetting,
  hasVariableCells,
  namesVariable,
  resolveField,
} from '@millrace/flow';
import type {
  PlanEdge,
  PlanField,
  PlanSetting,
  PlanVertex,
  PythonObject,
  PythonValue,
  VertexOverrides,
} from '@millrace/flow';
import type { OngoingRun } from './ongoing-run';
import type { Surroundings } from './vertex-context';
import { isUnfinished, wholeMessage } from './whole-message';

/** The values one vertex works with in one run. */
export interface VertexValues {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Before conversion, also those the component does not declare. */
  readonly fields: () => Readonly<Record<string, PythonValue>>;
}

type Changes = Map<string, PythonValue | undefined>;

/**
 * Works out a vertex's values: saved ones, changed by tweaks, by stored variables, by the request, and last by wires.
 * Gives a promise only when a variable has to be looked up or a text is still being made.
 */
export function vertexValues(
  run: OngoingRun,
  vertex: PlanVertex,
  around: Surroundings,
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
  for (const setting of vertex.wired) set(setting.name, wiredValue(run, vertex, setting, around));
  if (waits.length === 0) return withChanges(vertex, changes);
  return Promise.all(waits).then(() => withChanges(vertex, changes));
}

/** A promise that may fail before anybody waits for it: the wait comes later, or never when another value failed. */
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
    if (overrides.values.has(name) || isWired(vertex, name)) continue;
    set(name, fieldValue(run, field));
  }
  for (const [name, value] of overrides.values) {
    if (!isWired(vertex, name)) set(name, value);
  }
}

function isWired(vertex: PlanVertex, name: string): boolean {
  const setting = vertex.settings.get(name);
  return setting !== undefined && setting.wires.length > 0;
}

/** What an unwired field says, with what stored variables say. */
function fieldValue(run: OngoingRun, field: PlanField): PythonValue | undefined | Promise<PythonValue> {
  if (namesVariable(field)) return storedVariable(run, field.value);
  return hasVariableCells(field) ? withVariableCells(run, field) : resolveField(field);
}

async function storedVariable(run: OngoingRun, name: string): Promise<PythonValue> {
  return (await run.variable(name)) ?? null;
}

/** The rows of a table, each cell of its variable columns resolved: null where there is no such variable. */
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
 * What the wires of a setting bring. Wires from stopped branches bring nothing: a list goes without them, a single value
 * falls back on what the node has saved.
 */
function wiredValue(
  run: OngoingRun,
  vertex: PlanVertex,
  setting: PlanSetting,
  around: Surroundings,
): PythonValue | undefined | Promise<PythonValue> {
  const takesStreams = vertex.component?.takesStreams === true;
  if (setting.list) {
    const list = broughtValues(run, setting, around).flatMap((value) =>
      Array.isArray(value) ? (value as readonly PythonValue[]) : [value],
    );
    return !takesStreams && list.some(isUnfinished)
      ? Promise.all(list.map((value) => (isUnfinished(value) ? wholeMessage(run, value) : value)))
      : list;
  }
  const value = broughtValue(run, setting, around);
  if (value === undefined) return setting.value ?? setting.field?.value ?? undefined;
  if (!takesStreams && isUnfinished(value)) {
    return wholeMessage(run, value).then((message) => intoSingleEntry(setting, message));
  }
  return intoSingleEntry(setting, value);
}

/** What one of several wires brings: the last one, but rather one that is back from a cycle, and rather a live one. */
function broughtValue(run: OngoingRun, setting: PlanSetting, around: Surroundings): PythonValue | undefined {
  const { wires } = setting;
  const value = broughtValues(run, setting, around).at(-1);
  if (value !== undefined) return value;
  // An output that the vertex at the other end has stopped, and given a value all the same.
  for (const edge of wires.toReversed()) {
    if (!around.scope.backWires.has(edge)) return around.records[edge.source]?.outputs.get(edge.sourceOutput);
  }
  return undefined;
}

/** The values of the wires that are live, those that are back from a cycle last. */
function broughtValues(
  run: OngoingRun,
  setting: PlanSetting,
  { records, scope }: Surroundings,
): readonly PythonValue[] {
  const values: PythonValue[] = [];
  const back: PythonValue[] = [];
  for (const edge of setting.wires) {
    const record = records[edge.source];
    if (record === undefined || record.stopped.has(edge.sourceOutput)) continue;
    const value = record.outputs.get(edge.sourceOutput);
    if (value === undefined) throw missingOutput(run, setting, edge);
    (scope.backWires.has(edge) ? back : values).push(value);
  }
  return back.length === 0 ? values : [...values, ...back];
}

function missingOutput({ plan }: OngoingRun, { name }: PlanSetting, edge: PlanEdge): ComponentError {
  const source = plan.vertices[edge.source];
  return new ComponentError(
    `"${source?.displayName ?? ''}" (${source?.type ?? ''}) gave no output "${edge.sourceOutput}" ` +
      `for the input "${name}" of "${plan.vertices[edge.target]?.displayName ?? ''}".`,
  );
}

/** A setting whose saved value is an object with one entry gets the wire's value as that entry. */
function intoSingleEntry(setting: PlanSetting, value: PythonValue): PythonValue {
  const saved = setting.field?.value;
  if (typeof saved !== 'object' || saved === null || Object.getPrototypeOf(saved) !== Object.prototype) {
    return value;
  }
  const [key, ...others] = Object.keys(saved as PythonObject);
  return key === undefined || others.length > 0 ? value : Object.fromEntries([[key, value]]);
}
