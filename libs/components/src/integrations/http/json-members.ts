import { isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** Returns the member at a path; null when there is no such member or no object. */
export function member(value: PythonValue, ...path: readonly string[]): PythonValue {
  let found = value;
  for (const name of path) found = isDict(found) && Object.hasOwn(found, name) ? (found[name] ?? null) : null;
  return found;
}

/** Returns a member that is a text; '' for any other value. */
export function textMember(value: PythonValue, ...path: readonly string[]): string {
  const found = member(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** Returns the objects in a member that is a list; an empty list for any other value. */
export function objectsMember(value: PythonValue, ...path: readonly string[]): readonly PythonObject[] {
  const found = member(value, ...path);
  return Array.isArray(found) ? (found as readonly PythonValue[]).filter((item) => isDict(item)) : [];
}
