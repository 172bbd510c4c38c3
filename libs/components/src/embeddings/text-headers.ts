import { str } from '@millrace/flow';
import type { PythonObject } from '@millrace/flow';

/** Names and values of an author's as texts, for headers and queries; empty values are left out. */
export function textHeaders(values: PythonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      name === '' || value === null || value === '' ? [] : [[name, str(value)]],
    ),
  );
}
