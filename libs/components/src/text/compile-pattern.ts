import { ComponentError, parseRegex, PythonRegexError } from '@millrace/flow';
import type { PythonValue, Regex, RegexMatch } from '@millrace/flow';

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

/** What Python's `findall` gives for a match: its text, its only group, or all its groups. */
export function foundValue({ text, groups }: RegexMatch): PythonValue {
  const [only] = groups;
  if (only === undefined) return text;
  return groups.length === 1 ? (only ?? '') : groups.map((group) => group ?? '');
}
