import { Data, DataFrame, Message, tableRecords } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

/** A value as a script reads it: a message is its text, data its object, a table the list of its rows. */
export function scriptInput(value: PythonValue): PythonValue {
  if (value instanceof Message) return value.text;
  if (value instanceof Data) return value.data;
  if (value instanceof DataFrame) return tableRecords(value);
  return Array.isArray(value) ? value.map(scriptInput) : value;
}
