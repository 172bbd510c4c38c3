import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';

/**
 * Returns a value in which every key, at any depth, is replaced by the result of `change`; null removes the key and its
 * value.
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
