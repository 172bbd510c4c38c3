import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';

/** Returns the original names of the tools that a node's table enables; null without a table. */
export function chosenToolNames(table: PythonValue): readonly string[] | null {
  if (!Array.isArray(table) || table.length === 0) return null;
  return (table as readonly PythonValue[])
    .filter((row) => isDict(row))
    .filter(({ status }) => status !== false)
    .flatMap(({ tags = null, name = null }) => {
      const first: PythonValue = Array.isArray(tags) ? ((tags as readonly PythonValue[])[0] ?? name) : name;
      return typeof first === 'string' ? [first] : [];
    });
}
