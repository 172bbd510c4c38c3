import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

/**
 * A value in which every key, at any depth, has become what `change` gives for it; null takes the key away, with what
 * it holds.
 */
export function changeKeys(value: PythonValue, change: (key: string) => string | null): PythonValue {
  if (Array.isArray(value)) return value.map((item: PythonValue) => changeKeys(item, change));
  if (!isDict(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, PythonValue][] => {
      const changed = change(key);
      return changed === null ? [] : [[changed, changeKeys(member, change)]];
    }),
  );
}
