import { isDict } from '@millrace/flow';
import { Data, Message } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/**
 * Returns the names and values that an author entered as `field_1_key`, `field_2_key`, …, merged in that order. Of a
 * connected value the text is used.
 */
export function numberedFields(fields: Readonly<Record<string, PythonValue>>): PythonObject {
  const numbered = Object.entries(fields).flatMap(([name, value]) => {
    const number = /^field_(\d+)_key$/.exec(name)?.[1];
    return number === undefined ? [] : [{ number: Number(number), value }];
  });
  numbered.sort((one, other) => one.number - other.number);
  const entries = numbered.flatMap(({ value }) => (isDict(value) ? Object.entries(value) : []));
  return Object.fromEntries(entries.map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: PythonValue): PythonValue {
  return value instanceof Data || value instanceof Message ? value.text : value;
}
