import { isObject } from '../json-object';
import type { JsonObject } from '../json-object';
import { ModelServerError } from '../model-server-error';

/** Refuses a request: 400 with this text. */
export function refuse(message: string): never {
  throw new ModelServerError(400, message);
}

/** The value as an object with no members but these; refused otherwise. `where` names it. */
export function objectWith(value: unknown, where: string, members: readonly string[]): JsonObject {
  if (!isObject(value)) refuse(`${where}: must be an object.`);
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined) refuse(`${where}.${unknown}: Extra inputs are not permitted.`);
  return value;
}

/** The value as a list; refused otherwise. Nothing is an empty one. */
export function listOf(value: unknown, where: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) refuse(`${where}: must be a list.`);
  return value;
}

/** The value as a text that says something; refused otherwise. */
export function textOf(value: unknown, where: string): string {
  if (typeof value !== 'string' || value === '') refuse(`${where}: must be a text that is not empty.`);
  return value;
}

/** The value as a whole number above 0; refused otherwise. */
export function countOf(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    refuse(`${where}: must be a whole number greater than 0.`);
  }
  return value;
}
