import { isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';

/** A member of an object, or null where there is no such member or no object. */
export function member(value: PythonValue, ...path: readonly string[]): PythonValue {
  let found = value;
  for (const name of path) found = isDict(found) && Object.hasOwn(found, name) ? (found[name] ?? null) : null;
  return found;
}

/** A member as text; '' where it is none. */
export function textMember(value: PythonValue, ...path: readonly string[]): string {
  const found = member(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The objects of a list that is a member; none where it is no list. */
export function objectsMember(value: PythonValue, ...path: readonly string[]): readonly PythonObject[] {
  const found = member(value, ...path);
  return Array.isArray(found) ? (found as readonly PythonValue[]).filter((item) => isDict(item)) : [];
}
