import { RE2JS } from 're2js';
import type { Matcher } from 're2js';
import { PythonRegexError } from './python-regex-error';
import { parseReplacement } from './regex-replacement';
import { translateRegex } from './translate-regex';

const maximumPatternLength = 10_000;
/** One match takes time linear in the text, but there may be as many matches as characters. */
const usualMilliseconds = 5000;

/** What one match found: the groups in their order, none for a pattern without groups. */
export interface RegexMatch {
  readonly text: string;
  /** A group that took no part is null. */
  readonly groups: readonly (string | null)[];
}

/**
 * A regular expression as Python's `re` reads it, searched for in time linear in the text whatever the pattern is; a
 * search for all matches that works for too long, five seconds unless given, throws a PythonRegexError. It can be left off after each match.
 * Differs from Python where RE2 does: `\b` knows ASCII words only, and `$` does not match before a last newline.
 */
export class Regex {
  readonly #compiled: RE2JS;
  readonly #maximumMilliseconds: number;

  constructor(compiled: RE2JS, maximumMilliseconds: number) {
    this.#compiled = compiled;
    this.#maximumMilliseconds = maximumMilliseconds;
  }

  /** `re.match`: true when the text begins with a match. */
  matchesStart(text: string): boolean {
    return this.#compiled.matcher(text).lookingAt();
  }

  /** `re.search`: true when there is a match anywhere. */
  isFoundIn(text: string): boolean {
    return this.#compiled.test(text);
  }

  /** `re.finditer`: all matches that do not overlap, from left to right; at most `limit`. */
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

  /** `re.sub`: the text with every match replaced by a template (`\1`, `\g<name>`). Throws a PythonRegexError. */
  *replaceAll(text: string, replacement: string): Generator<void, string> {
    const names = this.#compiled.namedGroups();
    const template = parseReplacement(replacement, { count: this.#compiled.groupCount(), names });
    const parts: string[] = [];
    let copied = 0;
    for (const matcher of this.#matches(text)) {
      parts.push(text.slice(copied, matcher.start()));
      for (const part of template) parts.push(typeof part === 'string' ? part : (matcher.group(part) ?? ''));
      copied = matcher.end();
      yield;
    }
    return parts.join('') + text.slice(copied);
  }

  *#matches(text: string): Generator<Matcher> {
    const matcher = this.#compiled.matcher(text);
    let worked = 0;
    let from = 0;
    while (from <= text.length) {
      const begun = performance.now();
      if (!matcher.find(from)) return;
      worked += performance.now() - begun;
      if (worked > this.#maximumMilliseconds) {
        throw new PythonRegexError(`the search took longer than ${this.#maximumMilliseconds} milliseconds`);
      }
      const isEmpty = matcher.end() === matcher.start();
      from = matcher.end() + (isEmpty ? characterLength(text, matcher.end()) : 0);
      yield matcher;
    }
  }
}

/** Reads a pattern once for any number of texts. Throws a PythonRegexError for what Python or a linear-time search refuses. */
export function parseRegex(pattern: string, maximumMilliseconds = usualMilliseconds): Regex {
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
