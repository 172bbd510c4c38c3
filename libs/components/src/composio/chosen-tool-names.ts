import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

/** Which tools a node's table switches on, by their first names; null when it has no table. */
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
