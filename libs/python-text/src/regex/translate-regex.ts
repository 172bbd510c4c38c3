import { asciiClasses, unicodeClasses } from './character-classes';
import { PythonRegexError, regexErrorAt } from './python-regex-error';
import { readRegexEscape } from './regex-escape';

/**
 * Translates a regular expression of Python to the syntax of RE2. Throws a PythonRegexError with Python's text for
 * patterns that Python rejects, and for features that need backtracking (look-ahead, references to groups, possessive
 * repeats).
 */
export function translateRegex(pattern: string): string {
  return new RegexTranslation(pattern).run();
}

class RegexTranslation {
  readonly #pattern: string;
  readonly #written: string[] = [];
  readonly #openGroups: number[] = [];
  readonly #namedGroups = new Map<string, number>();
  #groupCount = 0;
  #classes = unicodeClasses;
  #offset = 0;
  /** The kind of item that a following repeat would apply to. */
  #before: 'nothing' | 'item' | 'repeat' = 'nothing';

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  run(): string {
    while (this.#offset < this.#pattern.length) this.#next();
    const open = this.#openGroups.at(-1);
    if (open !== undefined) throw this.#fault('missing ), unterminated subpattern', open);
    return this.#written.join('');
  }

  #next(): void {
    const character = this.#pattern.charAt(this.#offset);
    if (character === '\\') this.#escape();
    else if (character === '[') this.#set();
    else if (character === '(') this.#openGroup();
    else if (character === ')') this.#closeGroup();
    else if (this.#repeat() !== null) this.#quantify();
    else this.#write(character === '{' || character === '}' ? `\\${character}` : character, 1);
    if ('^$|'.includes(character)) this.#before = 'nothing';
  }

  #write(text: string, length: number): void {
    this.#written.push(text);
    this.#offset += length;
    this.#before = 'item';
  }

  #escape(): void {
    const escape = readRegexEscape(this.#pattern, this.#offset, false);
    const length = escape.end - this.#offset;
    if (escape.kind === 'character') this.#write(literal(escape.codePoint), length);
    else if (escape.kind === 'class') this.#write(`[${this.#classes[escape.letter] ?? ''}]`, length);
    else {
      this.#write(escape.letter === 'Z' ? '\\z' : `\\${escape.letter}`, length);
      this.#before = 'nothing';
    }
  }

  #set(): void {
    const start = this.#offset;
    const negated = this.#pattern.charAt(start + 1) === '^';
    const items: string[] = [];
    let offset = start + (negated ? 2 : 1);
    while (items.length === 0 || this.#pattern.charAt(offset) !== ']') {
      const item = this.#setItem(offset, start);
      items.push(item.text);
      offset = item.end;
    }
    this.#write(`[${negated ? '^' : ''}${items.join('')}]`, offset + 1 - start);
  }

  /** One character, class or range of a set. */
  #setItem(offset: number, setStart: number): { readonly text: string; readonly end: number } {
    const low = this.#setMember(offset, setStart);
    const isRange =
      this.#pattern.charAt(low.end) === '-' && !['', ']'].includes(this.#pattern.charAt(low.end + 1));
    if (!isRange) return { text: low.text, end: low.end };
    const high = this.#setMember(low.end + 1, setStart);
    if (low.codePoint === null || high.codePoint === null || low.codePoint > high.codePoint) {
      const range = this.#pattern.slice(offset, high.end);
      throw this.#fault(`bad character range ${range}`, offset);
    }
    return { text: `${low.text}-${high.text}`, end: high.end };
  }

  #setMember(
    offset: number,
    setStart: number,
  ): { readonly text: string; readonly codePoint: number | null; readonly end: number } {
    const codePoint = this.#pattern.codePointAt(offset);
    if (codePoint === undefined) throw this.#fault('unterminated character set', setStart);
    if (codePoint !== 0x5c) {
      return { text: literal(codePoint), codePoint, end: offset + (codePoint > 0xffff ? 2 : 1) };
    }
    const escape = readRegexEscape(this.#pattern, offset, true);
    if (escape.kind === 'character') {
      return { text: literal(escape.codePoint), codePoint: escape.codePoint, end: escape.end };
    }
    return { text: this.#classes[escape.letter] ?? '', codePoint: null, end: escape.end };
  }

  #openGroup(): void {
    const start = this.#offset;
    const rest = this.#pattern.slice(start);
    const comment = /^\(\?#[^)]*\)?/.exec(rest)?.[0];
    if (comment !== undefined) {
      if (!comment.endsWith(')')) throw this.#fault('missing ), unterminated comment', start);
      this.#offset += comment.length;
      return;
    }
    const flags = /^\(\?([aiLmsux]*)(?:-([imsx]+))?([:)])/.exec(rest);
    if (flags !== null) return this.#flags(flags);
    const named = /^\(\?P<([^>)]*)(>?)/.exec(rest);
    if (named !== null && named[2] === '') {
      throw this.#fault('missing >, unterminated name', start + 4);
    }
    if (named !== null && !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(named[1] ?? '')) {
      throw this.#fault(`bad character in group name '${named[1] ?? ''}'`, start + 4);
    }
    const opening = named?.[0] ?? /^\(\?<[=!]/.exec(rest)?.[0] ?? '(';
    if (opening === '(' && rest.charAt(1) === '?') throw this.#unsupportedGroup(rest);
    if (!opening.startsWith('(?<')) this.#countGroup(named?.[1], start);
    this.#openGroups.push(start);
    this.#write(opening, opening.length);
    this.#before = 'nothing';
  }

  #countGroup(name: string | undefined, start: number): void {
    this.#groupCount += 1;
    if (name === undefined) return;
    const before = this.#namedGroups.get(name);
    if (before !== undefined) {
      const reason = `redefinition of group name '${name}' as group ${this.#groupCount}; was group ${before}`;
      throw this.#fault(reason, start + 4);
    }
    this.#namedGroups.set(name, this.#groupCount);
  }

  #flags([whole, on = '', off = '', end]: RegExpExecArray): void {
    if (on.includes('x')) throw new PythonRegexError('the flag x is not supported');
    if (end === ')' && this.#offset > 0) {
      throw this.#fault('global flags not at the start of the expression', this.#offset);
    }
    if (on.includes('a')) this.#classes = asciiClasses;
    if (end === ':') this.#openGroups.push(this.#offset);
    const kept = on.replace(/[aLu]/g, '') + (off === '' ? '' : `-${off}`);
    this.#write(kept === '' && end === ')' ? '' : `(?${kept}${end ?? ''}`, whole.length);
    this.#before = 'nothing';
  }

  #unsupportedGroup(rest: string): PythonRegexError {
    if (/^\(\?[=!]/.test(rest)) return unsupported('look-ahead is');
    if (/^\(\?P=/.test(rest) || rest.startsWith('(?(')) return unsupported('references to groups are');
    if (rest.startsWith('(?>')) return unsupported('atomic groups are');
    if (rest.length === 2) return this.#fault('unexpected end of pattern', this.#offset + 2);
    const extension = rest.slice(1, rest.startsWith('(?P') || rest.startsWith('(?<') ? 4 : 3);
    return this.#fault(`unknown extension ${extension}`, this.#offset + 1);
  }

  #closeGroup(): void {
    if (this.#openGroups.pop() === undefined) throw this.#fault('unbalanced parenthesis', this.#offset);
    this.#write(')', 1);
  }

  /** Returns the repeat at the current position, or null; `{` without numbers is an ordinary character. */
  #repeat(): string | null {
    const rest = this.#pattern.slice(this.#offset, this.#offset + 40);
    return /^(?:[*+?]|\{(?:\d+(?:,\d*)?|,\d+)\})/.exec(rest)?.[0] ?? null;
  }

  #quantify(): void {
    const repeat = this.#repeat() ?? '';
    if (this.#before === 'nothing') throw this.#fault('nothing to repeat', this.#offset);
    if (this.#before === 'repeat') throw this.#fault('multiple repeat', this.#offset);
    const [minimum = '', maximum = minimum] = repeat.replace(/[{}]/g, '').split(',');
    if (maximum !== '' && Number(minimum) > Number(maximum)) {
      throw this.#fault('min repeat greater than max repeat', this.#offset + 1);
    }
    const following = this.#pattern.charAt(this.#offset + repeat.length);
    if (following === '+') throw unsupported('possessive repeats are');
    this.#write(repeat.replace('{,', '{0,') + (following === '?' ? '?' : ''), repeat.length);
    if (following === '?') this.#offset += 1;
    this.#before = 'repeat';
  }

  #fault(reason: string, offset: number): PythonRegexError {
    return regexErrorAt(reason, this.#pattern, offset);
  }
}

function unsupported(what: string): PythonRegexError {
  return new PythonRegexError(`${what} not supported in a linear-time search`);
}

function literal(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  return /^[0-9A-Za-z]$/.test(text) ? text : `\\x{${codePoint.toString(16)}}`;
}
