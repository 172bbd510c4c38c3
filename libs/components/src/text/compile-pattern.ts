import { ComponentError, parseRegex, PythonRegexError } from '@millrace/flow';
import type { PythonValue, Regex, RegexMatch } from '@millrace/flow';
import type { Sliceable } from './in-slices';

/** A stretch without a match is searched in one go. */
const maximumCharacters = 5_000_000;

/** A user's regular expression; throws a ComponentError that says what is wrong with it. */
export function compilePattern(pattern: string): Regex {
  try {
    return parseRegex(pattern);
  } catch (error) {
    throw patternError(error);
  }
}

/** The ComponentError for what a search threw, when its pattern or its replacement is to blame; else the error itself. */
export function patternError(error: unknown): unknown {
  return error instanceof PythonRegexError
    ? new ComponentError(`Invalid regex pattern: ${error.message}`, error)
    : error;
}

/**
 * Searches a text for a user's regular expression. Throws a ComponentError for a pattern that cannot be used, and for a
 * text whose search would hold everybody up.
 */
export function* searchText<Result>(
  text: string,
  pattern: string,
  search: (regex: Regex) => Sliceable<Result>,
): Sliceable<Result> {
  if (text.length > maximumCharacters) {
    throw new ComponentError(
      `A text of ${text.length} characters is not searched by a regular expression; at most ${maximumCharacters} are.`,
    );
  }
  try {
    return yield* search(compilePattern(pattern));
  } catch (error) {
    throw patternError(error);
  }
}

/** What Python's `findall` gives for a match: its text, its only group, or all its groups. */
export function foundValue({ text, groups }: RegexMatch): PythonValue {
  const [only] = groups;
  if (only === undefined) return text;
  return groups.length === 1 ? (only ?? '') : groups.map((group) => group ?? '');
}
