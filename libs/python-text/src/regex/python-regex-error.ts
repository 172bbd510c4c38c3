import { codePointCount } from '../text/code-points';

/**
 * The error for an unusable regular expression; `message` is the text of Python's `re.error`, or names a feature that a
 * linear-time search does not support.
 */
export class PythonRegexError extends Error {
  override readonly name = 'PythonRegexError';
}

/** Returns the error for a position in a pattern, with Python's text. */
export function regexErrorAt(reason: string, pattern: string, offset: number): PythonRegexError {
  const before = pattern.slice(0, offset);
  const lines = before.split('\n');
  const column = codePointCount(lines.at(-1) ?? '') + 1;
  const line = pattern.includes('\n') ? ` (line ${lines.length}, column ${column})` : '';
  return new PythonRegexError(`${reason} at position ${codePointCount(before)}${line}`);
}
