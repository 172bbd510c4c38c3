import { ComponentError } from '@millrace/flow';

/** Returns a key without surrounding whitespace, which copying can add. Throws a ComponentError when it is empty. */
export function requireKey(key: string, name: string): string {
  const trimmed = key.trim();
  if (trimmed === '') throw new ComponentError(`${name} is required`);
  return trimmed;
}
