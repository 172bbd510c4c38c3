import { ComponentError } from '@millrace/flow';

/** A key, without the spaces and line ends that come along when it is copied. Throws when it is empty. */
export function requireKey(key: string, name: string): string {
  const trimmed = key.trim();
  if (trimmed === '') throw new ComponentError(`${name} is required`);
  return trimmed;
}
