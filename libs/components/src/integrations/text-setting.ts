import { Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** Returns the first text among several fields: the name of a setting has changed between versions. */
export function textSetting(fields: Readonly<Record<string, PythonValue>>, names: readonly string[]): string {
  for (const name of names) {
    const value = fields[name];
    const text = value instanceof Message ? value.text : value;
    if (typeof text === 'string' && text !== '') return text;
  }
  return '';
}
