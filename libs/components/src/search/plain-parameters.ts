import { str } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

/** Returns an author's additional parameters as texts; empty names are left out. */
export function plainParameters(parameters: PythonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([name, value]) => name !== '' && value !== null)
      .map(([name, value]) => [name, str(value)]),
  );
}
