import { Message } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

/** The first of several fields that holds a text: what one field is called has changed over the years. */
export function textSetting(fields: Readonly<Record<string, PythonValue>>, names: readonly string[]): string {
  for (const name of names) {
    const value = fields[name];
    const text = value instanceof Message ? value.text : value;
    if (typeof text === 'string' && text !== '') return text;
  }
  return '';
}
