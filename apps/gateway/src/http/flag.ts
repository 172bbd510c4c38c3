import { booleanWord } from './query';

/** A boolean as callers may write it in a body, see `x-flag` of request schemas. */
export type Flag = boolean | string | number;

/** Whether a value can be read as a boolean. */
export function isFlag(value: unknown): value is Flag {
  if (typeof value === 'boolean' || value === 0 || value === 1) return true;
  return typeof value === 'string' && booleanWord(value) !== undefined;
}

/** The boolean that a checked member stands for; false where it is absent or null. */
export function flagValue(value: unknown): boolean {
  return typeof value === 'string' ? booleanWord(value) === true : value === true || value === 1;
}
