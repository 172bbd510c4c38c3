import { str } from '@millrace/flow';
import type { PythonObject } from '@millrace/flow';

/** Returns an author's additional parameters as texts; empty names are left out. */
export function plainParameters(parameters: PythonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([name, value]) => name !== '' && value !== null)
      .map(([name, value]) => [name, str(value)]),
  );
}
