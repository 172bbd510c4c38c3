import type { PythonValue } from '@millrace/python-text';
import type { PlanField } from './plan-field';
import { codeText } from './code-text';
import type { JsonObject } from './json-object';
import { isJsonObject, member, textMember } from './json-object';

/** Reads one entry of a node's template. JSON values are valid Python values. */
export function readField(name: string, entry: JsonObject): PlanField {
  return {
    name,
    displayName: textMember(entry, 'display_name'),
    type: textMember(entry, 'type'),
    value: readValue(entry),
    // The editor always writes it; a file that was written by hand may leave it out.
    show: Boolean(member(entry, 'show') ?? true),
    loadFromDatabase: Boolean(member(entry, 'load_from_db')),
    variableColumns: variableColumns(member(entry, 'table_schema')),
    list: Boolean(member(entry, 'list')),
    password: Boolean(member(entry, 'password')),
    filePath: (member(entry, 'file_path') ?? null) as PythonValue,
    overrideSkip: Boolean(member(entry, 'override_skip')),
    required: Boolean(member(entry, 'required')),
  };
}

/** Joins code that an export split into lines. */
function readValue(entry: JsonObject): PythonValue {
  const value = member(entry, 'value') ?? null;
  const isLines = Array.isArray(value) && textMember(entry, 'type') === 'code';
  return isLines ? codeText(value) : (value as PythonValue);
}

const noColumns: readonly string[] = [];

/** Returns the columns with stored variables. A schema is a list of columns, or an object that contains one. */
function variableColumns(schema: unknown): readonly string[] {
  const columns = isJsonObject(schema) ? member(schema, 'columns') : schema;
  if (!Array.isArray(columns)) return noColumns;
  return columns.flatMap((column: unknown) =>
    isJsonObject(column) && member(column, 'load_from_db') === true ? [textMember(column, 'name')] : [],
  );
}
