import { jsonDumpsIndented } from './dump-json';
import { repr } from './repr';
import { Data } from '../values/data';
import { Message } from '../values/message';
import { messageData } from '../values/message-data';
import type { PythonValue } from '../values/python-value';

/**
 * What Python's `str` gives for a value: a string itself, the indented JSON of a Data or a Message (all its members,
 * not only its text), a table laid out in columns, and for anything else its `repr`.
 */
export function str(value: PythonValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof Message) return jsonDumpsIndented(messageData(value));
  if (value instanceof Data) return jsonDumpsIndented(value.data);
  return repr(value);
}
