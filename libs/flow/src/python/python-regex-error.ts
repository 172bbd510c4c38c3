import { codePointCount } from './code-points';
import { MillraceError } from '../errors';

/**
 * A regular expression that cannot be used; `message` is what Python's `re.error` says, or that the expression needs
 * what no linear-time search can do.
 */
export class PythonRegexError extends MillraceError {
  constructor(message: string) {
    super('invalid_regular_expression', message);
  }
}

/** The error for a fault at this place of a pattern, as Python words it. */
export function regexErrorAt(reason: string, pattern: string, offset: number): PythonRegexError {
  const before = pattern.slice(0, offset);
  const lines = before.split('\n');
  const column = codePointCount(lines.at(-1) ?? '') + 1;
  const line = pattern.includes('\n') ? ` (line ${lines.length}, column ${column})` : '';
  return new PythonRegexError(`${reason} at position ${codePointCount(before)}${line}`);
}
