import { str } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

/** Converts values of a node to texts for headers and query parameters; empty values are omitted. */
export function textHeaders(values: PythonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      name === '' || value === null || value === '' ? [] : [[name, str(value)]],
    ),
  );
}
