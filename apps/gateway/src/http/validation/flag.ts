import { booleanWord } from './query';

/** A boolean in any form that a body can have, see `x-flag` of request schemas. */
export type Flag = boolean | string | number;

/** Returns whether a value can be read as a boolean. */
export function isFlag(value: unknown): value is Flag {
  if (typeof value === 'boolean' || value === 0 || value === 1) return true;
  return typeof value === 'string' && booleanWord(value) !== undefined;
}

/** Returns the boolean value of a validated member; false where it is absent or null. */
export function flagValue(value: unknown): boolean {
  return typeof value === 'string' ? booleanWord(value) === true : value === true || value === 1;
}

/** Returns the boolean value of a validated member; undefined where it is absent or null. */
export function optionalFlag(value: unknown): boolean | undefined {
  return value === undefined || value === null ? undefined : flagValue(value);
}
