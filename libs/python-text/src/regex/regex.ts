import { RE2JS } from 're2js';
import type { Matcher } from 're2js';
import { checkTextLength } from '../format/text-limit';
import { PythonRegexError } from './python-regex-error';
import { parseReplacement } from './regex-replacement';
import { translateRegex } from './translate-regex';

const maximumPatternLength = 10_000;
/** One match takes time linear in the text, but a text can have as many matches as characters. */
const defaultMaximumMilliseconds = 5000;
/** One match takes up to 40 ns for each character and instruction of the pattern, and cannot be interrupted. */
const maximumWork = 200_000_000;

/** One match: its text and its groups in order; no groups for a pattern without groups. */
export interface RegexMatch {
  readonly text: string;
  /** Null for a group that did not participate. */
  readonly groups: readonly (string | null)[];
}

/**
 * A regular expression in the syntax of Python's `re`, searched in time linear in the text for any pattern. A search
 * for all matches, or of several texts, that takes longer than a limit (5 seconds by default) throws a PythonRegexError, and so
 * does a text that is too long for a large pattern. A search for all matches can be interrupted after each match. Differs from Python where RE2 does: `\b` recognizes ASCII words only, and `$` does not
 * match before a final newline.
 */
export class Regex {
  readonly #compiled: RE2JS;
  readonly #maximumMilliseconds: number;
  readonly #maximumLength: number;
  #milliseconds = 0;

  constructor(compiled: RE2JS, maximumMilliseconds: number) {
    this.#compiled = compiled;
    this.#maximumMilliseconds = maximumMilliseconds;
    this.#maximumLength = Math.floor(maximumWork / compiled.programSize());
  }

  /** `re.match`: returns true when the text begins with a match. */
  matchesStart(text: string): boolean {
    this.#checkLength(text);
    return this.#compiled.matcher(text).lookingAt();
  }

  /** `re.search`: returns true when the text contains a match. */
  isFoundIn(text: string): boolean {
    this.#checkLength(text);
    const begun = performance.now();
    const isFound = this.#compiled.test(text);
    this.#spend(performance.now() - begun);
    return isFound;
  }

  /** `re.finditer`: returns all non-overlapping matches from left to right, at most `limit`. */
  *findAll(text: string, limit: number = Number.POSITIVE_INFINITY): Generator<void, readonly RegexMatch[]> {
    const found: RegexMatch[] = [];
    if (limit <= 0) return found;
    for (const matcher of this.#matches(text)) {
      found.push({ text: matcher.group() ?? '', groups: groupsOf(matcher) });
      if (found.length >= limit) break;
      yield;
    }
    return found;
  }

  /**
   * `re.sub`: returns the text with every match replaced by a template (`\1`, `\g<name>`). Throws a PythonRegexError,
   * and a PythonFormatError when the text grows too long.
   */
  *replaceAll(text: string, replacement: string): Generator<void, string> {
    const names = this.#compiled.namedGroups();
    const template = parseReplacement(replacement, { count: this.#compiled.groupCount(), names });
    const parts: string[] = [];
    let copied = 0;
    let length = text.length;
    for (const matcher of this.#matches(text)) {
      parts.push(text.slice(copied, matcher.start()));
      copied = matcher.end();
      length -= copied - matcher.start();
      for (const part of template) {
        const inserted = typeof part === 'string' ? part : (matcher.group(part) ?? '');
        parts.push(inserted);
        length += inserted.length;
        if (length > text.length) checkTextLength(length);
      }
      yield;
    }
    return parts.join('') + text.slice(copied);
  }

  /** `re.split`: returns the texts between the matches, and those of the groups; '' for a group without one. */
  *split(text: string): Generator<void, readonly string[]> {
    const parts: string[] = [];
    let from = 0;
    for (const matcher of this.#matches(text)) {
      parts.push(text.slice(from, matcher.start()), ...groupsOf(matcher).map((group) => group ?? ''));
      from = matcher.end();
      yield;
    }
    return [...parts, text.slice(from)];
  }

  *#matches(text: string): Generator<Matcher> {
    this.#checkLength(text);
    const matcher = this.#compiled.matcher(text);
    let from = 0;
    while (from <= text.length) {
      const begun = performance.now();
      if (!matcher.find(from)) return;
      this.#spend(performance.now() - begun);
      const isEmpty = matcher.end() === matcher.start();
      from = matcher.end() + (isEmpty ? characterLength(text, matcher.end()) : 0);
      yield matcher;
    }
  }

  #checkLength(text: string): void {
    if (text.length <= this.#maximumLength) return;
    throw new PythonRegexError(
      `too large for a text of ${text.length} characters; it can search ${this.#maximumLength}`,
    );
  }

  #spend(milliseconds: number): void {
    this.#milliseconds += milliseconds;
    if (this.#milliseconds <= this.#maximumMilliseconds) return;
    throw new PythonRegexError(`the search took longer than ${this.#maximumMilliseconds} milliseconds`);
  }
}

/**
 * Parses a pattern for any number of texts. Throws a PythonRegexError for patterns that Python or a linear-time search
 * rejects.
 */
export function parseRegex(pattern: string, maximumMilliseconds = defaultMaximumMilliseconds): Regex {
  if (pattern.length > maximumPatternLength) {
    throw new PythonRegexError(`longer than ${maximumPatternLength} characters`);
  }
  const translated = translateRegex(pattern);
  try {
    return new Regex(RE2JS.compile(translated, RE2JS.LOOKBEHINDS), maximumMilliseconds);
  } catch (error) {
    throw new PythonRegexError(error instanceof Error ? error.message : String(error));
  }
}

function groupsOf(matcher: Matcher): readonly (string | null)[] {
  return Array.from({ length: matcher.groupCount() }, (_, index) => matcher.group(index + 1));
}

function characterLength(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}
