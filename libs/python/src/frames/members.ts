import { isDict } from '@millrace/flow';
import { PythonFloat } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/**
 * Reads members of frames. An author's code can write to the socket of its process, so that a frame can contain
 * anything: a member of another type counts as absent.
 */
export function memberOf(object: PythonObject, name: string): PythonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function textOf(object: PythonObject, name: string): string {
  const value = memberOf(object, name);
  return typeof value === 'string' ? value : '';
}

/** Returns a safe integer, or null. */
export function integerOf(object: PythonObject, name: string): number | null {
  const value = memberOf(object, name);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

export function objectOf(object: PythonObject, name: string): PythonObject {
  const value = memberOf(object, name);
  return value !== undefined && isDict(value) ? value : {};
}

export function listOf(object: PythonObject, name: string): readonly PythonValue[] {
  const value = memberOf(object, name);
  return Array.isArray(value) ? (value as readonly PythonValue[]) : [];
}

export function textsOf(object: PythonObject, name: string): readonly string[] {
  return listOf(object, name).filter((value) => typeof value === 'string');
}

/** Returns a value as plain JSON, with floats as numbers, for parts that nothing computes with. */
export function plainOf(value: PythonValue): unknown {
  if (value instanceof PythonFloat) return value.value;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return (value as readonly PythonValue[]).map(plainOf);
  if (!isDict(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainOf(member)]));
}
