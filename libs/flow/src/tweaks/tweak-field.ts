import type { PythonValue } from '@millrace/python-text';
import type { PlanField } from '../document/plan-field';
import type { JsonObject } from '../document/json-object';
import { isJsonObject, member } from '../document/json-object';

/**
 * Returns the field after one tweak. A tweaked value is a literal, and not the name of a variable, unless the tweak
 * says so.
 */
export function tweakField(field: PlanField, tweak: unknown): PlanField {
  if (field.type === 'NestedDict') return withValue(field, parseIfText(tweak));
  if (field.type === 'mcp') return withValue(field, tweak);
  if (field.type === 'dict') return withValue(field, unwrap(tweak));
  if (isJsonObject(tweak)) {
    return {
      ...field,
      ...(field.type === 'file' ? lastAsPath(tweak) : ownValue(tweak)),
      type: typeof tweak['type'] === 'string' && field.type !== 'file' ? tweak['type'] : field.type,
      loadFromDatabase: Boolean(member(tweak, 'load_from_db')),
      show: Object.hasOwn(tweak, 'show') ? Boolean(tweak['show']) : field.show,
      list: Object.hasOwn(tweak, 'list') ? Boolean(tweak['list']) : field.list,
    };
  }
  if (field.type === 'file') return { ...field, filePath: tweak as PythonValue, loadFromDatabase: false };
  return withValue(field, tweak);
}

const fieldMembers: ReadonlySet<string> = new Set(['value', 'file_path', 'load_from_db', 'show', 'list']);

/** Returns whether an object sets members of a field, and is not a value itself. */
export function isFieldTweak(tweak: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(tweak, 'value') && Object.keys(tweak).every((name) => fieldMembers.has(name));
}

function withValue(field: PlanField, value: unknown): PlanField {
  return { ...field, value: (value ?? null) as PythonValue, loadFromDatabase: false };
}

/** An object with `value` and other members is a value itself. */
function unwrap(tweak: unknown): unknown {
  const isWrapped = isJsonObject(tweak) && Object.hasOwn(tweak, 'value') && Object.keys(tweak).length === 1;
  return isWrapped ? tweak['value'] : tweak;
}

function parseIfText(tweak: unknown): unknown {
  if (typeof tweak !== 'string') return tweak;
  try {
    return JSON.parse(tweak);
  } catch {
    return tweak;
  }
}

/** Each member of an object that tweaks a file is its path: the last one counts. */
function lastAsPath(tweak: JsonObject): Partial<PlanField> {
  const paths = Object.values(tweak);
  return paths.length === 0 ? {} : { filePath: (paths.at(-1) ?? null) as PythonValue };
}

function ownValue(tweak: JsonObject): Partial<PlanField> {
  return Object.hasOwn(tweak, 'value') ? { value: (tweak['value'] ?? null) as PythonValue } : {};
}
