import { typeName } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { isJsonObject } from '../document/json-object';
import type { JsonObject } from '../document/json-object';
import type { PlanField } from '../document/plan-field';
import { RunError } from '../errors';
import { isSkipped } from '../plan/resolve-field';
import type { Plan } from '../plan/plan';
import type { Tweaks } from '../run/run-request';
import { tweakedVertex } from './apply-tweaks';
import type { RunOverrides } from './vertex-overrides';

/**
 * Throws a RunError `tweak_invalid` when a tweak gives a field a value of a kind from which Langflow builds no vertex: the
 * text is Python's, and nothing has run. The first vertex and field of the flow count.
 */
export function refuseTweakFaults(plan: Plan, overrides: RunOverrides): void {
  for (const { index, fields, displayName } of plan.vertices) {
    const tweaked = overrides.get(index)?.fields;
    if (tweaked === undefined || tweaked.size === 0) continue;
    for (const name of fields.keys()) {
      const field = tweaked.get(name);
      const fault = field === undefined || isSkipped(field) ? null : faultOf(field, displayName);
      if (fault !== null) throw new RunError('tweak_invalid', fault);
    }
  }
}

/**
 * Throws a RunError `tweak_invalid` when a followed run gets an object without a path, or a path that is no text, for a file. As in
 * Langflow, other values of a wrong kind are taken as they are.
 */
export function refuseFileTweaks(plan: Plan, tweaks: Tweaks): void {
  for (const [key, tweak] of Object.entries(tweaks)) {
    const vertex = isJsonObject(tweak) ? tweakedVertex(plan, key) : undefined;
    if (vertex === undefined || !isJsonObject(tweak)) continue;
    for (const [name, value] of Object.entries(tweak)) {
      const fault = vertex.fields.get(name)?.type === 'file' ? fileFault(value) : null;
      if (fault !== null) throw new RunError('tweak_invalid', fault);
    }
  }
}

function fileFault(value: unknown): string | null {
  const path = isJsonObject(value) ? pathIn(value) : value;
  if (path === undefined) return 'Runtime FileInput tweaks must provide a file path.';
  const paths: readonly unknown[] = Array.isArray(path) ? path : [path ?? ''];
  return paths.every((one) => typeof one === 'string') ? null : NO_PATH;
}

function pathIn(tweak: JsonObject): unknown {
  if (Object.hasOwn(tweak, 'file_path')) return tweak['file_path'];
  return Object.keys(tweak).join() === 'value' ? tweak['value'] : undefined;
}

const NO_PATH = 'FileInput values must be file path strings.';

/** The types whose values Langflow takes as they are, or as whatever Python can make of them. */
const OPEN_TYPES: ReadonlySet<string> = new Set([
  '',
  'str',
  'bool',
  'Any',
  'prompt',
  'mustache',
  'code',
  'tab',
  'sortableList',
  'actionPicker',
  'duration',
  'auth',
  'connect',
  'connection_ref',
  'query',
  // A table of tools that cannot be used has a refusal of its own.
  'tools',
  'mcp',
  'model',
  'data_display',
]);

function faultOf(field: PlanField, displayName: string): string | null {
  const { name, type, value } = field;
  switch (type) {
    case 'int':
      return isNumeral(value)
        ? null
        : `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`;
    case 'float':
    case 'slider':
      return isNumeral(value)
        ? null
        : `float() argument must be a string or a real number, not '${typeName(value)}'`;
    case 'dict':
    case 'NestedDict':
      return Array.isArray(value) ? itemFault(value) : null;
    case 'table':
      return value === null || (Array.isArray(value) && value.every(isObject))
        ? null
        : `Invalid value type <class '${typeName(value)}'> for table field ${name}`;
    case 'file':
      return isFileValue(field) ? null : NO_PATH;
    default:
      return OPEN_TYPES.has(type)
        ? null
        : `Field ${name} in ${displayName} is not a valid field type: ${type}`;
  }
}

/** Whether Python tries to read a number: a text that is none stays the text. */
function isNumeral(value: PythonValue): boolean {
  return value === null || !['list', 'dict'].includes(typeName(value));
}

function itemFault(items: readonly PythonValue[]): string | null {
  const wrong = items.find((item) => !isObject(item));
  return wrong === undefined ? null : `'${typeName(wrong)}' object has no attribute 'items'`;
}

function isFileValue({ filePath, list }: PlanField): boolean {
  if (!filePath || typeof filePath === 'string') return true;
  return (
    Array.isArray(filePath) &&
    (filePath.length === 0 || (list && filePath.every((one) => typeof one === 'string')))
  );
}

function isObject(value: PythonValue): boolean {
  return typeName(value) === 'dict';
}
