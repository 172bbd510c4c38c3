import { isObject } from '../json-object';
import type { JsonObject } from '../json-object';
import { ModelServerError } from '../model-server-error';

/** Throws ModelServerError 400 with this text. */
export function refuse(message: string): never {
  throw new ModelServerError(400, message);
}

/** Returns the value as an object with no other members than these; refuses anything else. `where` is its path. */
export function objectWith(value: unknown, where: string, members: readonly string[]): JsonObject {
  if (!isObject(value)) refuse(`${where}: must be an object.`);
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined) refuse(`${where}.${unknown}: Extra inputs are not permitted.`);
  return value;
}

/** Returns the value as a list, empty if undefined; refuses anything else. */
export function listOf(value: unknown, where: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) refuse(`${where}: must be a list.`);
  return value;
}

/** Returns the value as a string that is not empty; refuses anything else. */
export function textOf(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '') refuse(`${where}: must be a string that is not empty.`);
  return value;
}

/** Returns the value as a whole number greater than 0; refuses anything else. */
export function countOf(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    refuse(`${where}: must be a whole number greater than 0.`);
  }
  return value;
}
