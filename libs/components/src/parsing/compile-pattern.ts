import { ComponentError } from '@millrace/flow';
import { parseRegex, PythonRegexError } from '@millrace/python-text';
import type { PythonValue, Regex, RegexMatch } from '@millrace/python-text';
import type { InterruptibleWork } from './run-in-slices';

/** The search can yield only between two matches. */
const maximumCharacters = 5_000_000;

/** Compiles a user's regular expression. Throws a ComponentError that explains what is wrong with it. */
export function compilePattern(pattern: string): Regex {
  try {
    return parseRegex(pattern);
  } catch (error) {
    throw patternError(error);
  }
}

/**
 * Returns the ComponentError for an error of a search that its pattern or replacement caused; else the error itself.
 */
export function patternError(error: unknown): unknown {
  return error instanceof PythonRegexError
    ? new ComponentError(`Invalid regex pattern: ${error.message}`, error)
    : error;
}

/**
 * Searches a text with a user's regular expression. Throws a ComponentError for an invalid pattern, and for a text
 * whose search would block the process for too long.
 */
export function* searchText<Result>(
  text: string,
  pattern: string,
  search: (regex: Regex) => InterruptibleWork<Result>,
): InterruptibleWork<Result> {
  if (text.length > maximumCharacters) {
    throw new ComponentError(
      `The text has ${text.length} characters; a regular expression can search at most ${maximumCharacters}.`,
    );
  }
  try {
    return yield* search(compilePattern(pattern));
  } catch (error) {
    throw patternError(error);
  }
}

/** Returns the value of a match as Python's `findall` does: its text, its only group, or all its groups. */
export function foundValue({ text, groups }: RegexMatch): PythonValue {
  const [only] = groups;
  if (only === undefined) return text;
  return groups.length === 1 ? (only ?? '') : groups.map((group) => group ?? '');
}
