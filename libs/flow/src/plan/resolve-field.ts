import { str, unescapeNewlines } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { PlanField } from '../document/plan-field';
import type { LangflowRelease } from '../values/langflow-release';

/**
 * Returns the value of a saved or tweaked field before its input converts it, by Langflow's rules; undefined when the
 * field has no value, so that the component's default applies. In release 1.11 a number in a text field is a value,
 * which its input refuses.
 */
export function resolveField(field: PlanField, langflow: LangflowRelease = '1.13'): PythonValue | undefined {
  if (isSkipped(field)) return undefined;
  const value = field.type === 'file' ? fileValue(field) : typedValue(field, langflow);
  if (value === null && !field.required) return undefined;
  return value !== undefined && isOptionsField(field.name) ? parseOptions(value) : value;
}

/**
 * Returns true for fields that are never read: handles, whose values come from edges only, hidden fields and source
 * code.
 */
export function isSkipped(field: PlanField): boolean {
  return field.type === 'other' || field.name === 'code' || (!field.show && !field.overrideSkip);
}

function typedValue(field: PlanField, langflow: LangflowRelease): PythonValue | undefined {
  const { value } = field;
  switch (field.type) {
    case 'str':
      return textsOf(value) ?? (langflow === '1.11' ? value : undefined);
    case 'int':
      return typeof value === 'string' ? integerOf(value) : value;
    case 'float':
    case 'slider':
      return typeof value === 'string' ? floatOf(value) : value;
    case 'bool':
      // Python's bool(text): every non-empty text is true, including "false". A number is no value.
      if (typeof value === 'string') return value !== '';
      return typeof value === 'boolean' ? value : undefined;
    case 'dict':
    case 'NestedDict':
      return Array.isArray(value) && value.every(isPlainObject) ? mergeEntries(value) : value;
    case 'table':
    case 'tools':
    case 'code':
      return value;
    case '':
      // The editor always saves a type. Without one, the author of the file wrote the value, be it false or 0.
      return isFalsy(value) && value !== false && value !== 0 ? undefined : value;
    default:
      return isFalsy(value) ? undefined : value;
  }
}

/**
 * Returns a text, or a list of texts: anything else than a text or a list is no value. In saved texts, a backslash
 * followed by n means a newline.
 */
function textsOf(value: PythonValue): PythonValue | undefined {
  if (typeof value === 'string') return unescapeNewlines(value);
  return Array.isArray(value)
    ? value.map((item: PythonValue) => unescapeNewlines(itemText(item)))
    : undefined;
}

/** Returns an item of a list of texts: of an object its text, of any other value how Python prints it. */
function itemText(item: PythonValue): string {
  if (!isPlainObject(item)) return str(item);
  const { text, data } = item;
  const inner = data !== undefined && isPlainObject(data) ? data['text'] : undefined;
  return str(text ?? inner ?? '');
}

function integerOf(text: string): PythonValue {
  return /^\s*[+-]?\d+(_\d+)*\s*$/.test(text) ? Number(text.replaceAll('_', '')) : text;
}

function floatOf(text: string): PythonValue {
  const number = Number(text.trim() === '' ? Number.NaN : text);
  return Number.isNaN(number) ? text : number;
}

/** Merges a list of `{ key, value }` pairs, or of objects, into one object. */
function mergeEntries(list: readonly PythonObject[]): PythonObject {
  const entries = list.flatMap((entry): [string, PythonValue][] => {
    const key = entry['key'];
    if (typeof key === 'string' && Object.hasOwn(entry, 'value')) return [[key, entry['value'] ?? null]];
    return Object.entries(entry);
  });
  return Object.fromEntries(entries);
}

function isPlainObject(value: PythonValue): value is PythonObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function fileValue(field: PlanField): PythonValue | undefined {
  return isFalsy(field.filePath) ? undefined : field.filePath;
}

function isFalsy(value: PythonValue): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

function isOptionsField(name: string): boolean {
  return name.includes('kwargs') || name.includes('config');
}

function parseOptions(value: PythonValue): PythonValue | undefined {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as PythonValue;
  } catch {
    return undefined;
  }
}
