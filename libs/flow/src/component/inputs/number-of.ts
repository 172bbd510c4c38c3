import { ComponentError } from '../../errors';

/** Returns the number that a text holds; 0 for an empty one. Throws a ComponentError for other texts. */
export function numberOf(text: string, kind: 'integer' | 'float', inputName: string): number {
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  throw new ComponentError(`Could not convert '${text.trim()}' to ${kind} for input ${inputName}.`);
}
