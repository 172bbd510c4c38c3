import { ComponentError, isDict } from '@millrace/flow';
import { Data, DataFrame, Message, parsePythonJson, PythonJsonError, typeName } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** The content to write into a file, with Langflow's type names. */
export type SavedContent =
  | { readonly kind: 'Message'; readonly text: string }
  | { readonly kind: 'Data'; readonly data: PythonObject }
  | { readonly kind: 'DataFrame'; readonly table: DataFrame };

/** Converts a value to content. The text of a model may be JSON: an object or a list of objects becomes a table. */
export function savedContent(value: PythonValue): SavedContent {
  if (value instanceof DataFrame) return { kind: 'DataFrame', table: value };
  if (value instanceof Message) return { kind: 'Message', text: value.text };
  if (value instanceof Data) return { kind: 'Data', data: value.data };
  if (isDict(value)) return { kind: 'Data', data: value };
  if (isRows(value)) return { kind: 'DataFrame', table: new DataFrame(value.map(rowOf)) };
  if (typeof value !== 'string') throw new ComponentError(`Unsupported input type: ${typeName(value)}`);
  const parsed = parsedJson(value);
  if (isDict(parsed)) return savedContent([parsed]);
  return isRows(parsed) ? savedContent(parsed) : { kind: 'Message', text: value };
}

/** Returns data as rows: one for each item of its lists, with its other values repeated in every row. */
export function contentTable(content: Exclude<SavedContent, { readonly kind: 'Message' }>): DataFrame {
  if (content.kind === 'DataFrame') return content.table;
  const columns = Object.entries(content.data);
  const lengths = new Set(columns.flatMap(([, value]) => (Array.isArray(value) ? [value.length] : [])));
  if (lengths.size > 1) throw new ComponentError('All arrays must be of the same length');
  const [length = 1] = lengths;
  const rows = Array.from({ length }, (_, index) =>
    Object.fromEntries(columns.map(([name, value]) => [name, itemOf(value, index)])),
  );
  return new DataFrame(rows, Object.keys(content.data));
}

function itemOf(value: PythonValue, index: number): PythonValue {
  return Array.isArray(value) ? ((value as readonly PythonValue[])[index] ?? null) : value;
}

function isRows(value: PythonValue): value is readonly (Data | PythonObject)[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return (value as readonly PythonValue[]).every((item) => item instanceof Data || isDict(item));
}

function rowOf(item: Data | PythonObject): PythonObject {
  return item instanceof Data ? item.data : item;
}

function parsedJson(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) return null;
    throw error;
  }
}
