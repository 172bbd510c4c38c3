import { jsonDumpsIndented } from '../json/dump-json';
import { modelMembers, repr } from './repr';
import { Data, Message } from '../values/python-value';
import type { PythonValue } from '../values/python-value';
import { messageData } from '../values/message-data';
import { modelClass } from '../values/model-classes';

/**
 * Returns Python's `str` of a value: a string itself, the indented JSON of a Data or a Message (all members, not only
 * the text), a table in columns, the members of an instance of a model, and the `repr` of anything else.
 */
export function str(value: PythonValue): string {
  if (typeof value === 'string') return value;
  if (value instanceof Message) return jsonDumpsIndented(messageData(value));
  if (value instanceof Data) return jsonDumpsIndented(value.data);
  const isModel = typeof value === 'object' && value !== null && modelClass(value) !== undefined;
  return isModel ? modelMembers(value, ' ') : repr(value);
}
