import { Data, DataFrame, Message, tableRecords } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** Converts a value for a script: a message to its text, data to its object, a table to the list of its rows. */
export function scriptInput(value: PythonValue): PythonValue {
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return value.data;
  if (value instanceof DataFrame) return tableRecords(value);
  return Array.isArray(value) ? value.map(scriptInput) : value;
}
