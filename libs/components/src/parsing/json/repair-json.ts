// No library: the result has Python's values, such as integers of any size, and a time that is linear in the text.
import { jsonDumpsCompactAscii, parsePythonJson, PythonFloat, PythonJsonError } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

const maximumDepth = 200;

/**
 * Parses JSON. Text that is not valid JSON is read leniently and may have the mistakes that language models make: other
 * quotes or none, missing or surplus commas, comments, code fences, surrounding words, a missing end. Returns the empty
 * text when there is no JSON. Takes linear time.
 */
export function repairJson(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) return new LenientReader(text).read();
    throw error;
  }
}

/** What ends the value of a member of an object. */
const MEMBER_END = ',}]';
const constants: Readonly<Record<string, PythonValue>> = {
  true: true,
  True: true,
  TRUE: true,
  false: false,
  False: false,
  FALSE: false,
  null: null,
  None: null,
};
const quotes: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '‘': '’' };
const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
};
/** A constant or a number that is not the beginning of an unquoted text. */
const constantPattern =
  /(?:true|True|TRUE|false|False|FALSE|null|None|[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?=\s*(?:[,:=}\]]|\/[/*]|#|$)|\s+["'“‘{[\d]|\s*\n)/y;
/** A number in an object, with the commas that the library json_repair counts to it: `{"a": 1,000}` has the text "1,000". */
const groupedPattern = /[\d.-][\d.eE/-]*,[\d.eE/,-]+/y;
/** The number of characters to inspect after a quote that may end a text. */
const lookaheadCharacters = 200;
const afterText = /^\s*(?:[:=,}\]"'”’]|\/[/*]|#|$)/;
const nextMember = /^\s*,\s*(?:["'“‘][^"'“”‘’]*["'”’]\s*[:=]|[\w$-]+\s*[:=]|[},{]|\/[/*]|#|$)/;
/** Characters that neither end a quoted text nor begin an escape sequence. */
const plainPattern = /[^\\"'”’]+/y;
const gapPattern = /(?:\s|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|#[^\n]*)*/y;

class LenientReader {
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): PythonValue {
    const start = this.#text.search(/[[{]/);
    if (start === -1) return '';
    this.#offset = start;
    return this.#value('', 0) ?? '';
  }

  /** Reads the value at the offset; undefined when there is none. An unquoted text ends at one of `terminators`. */
  #value(terminators: string, depth: number): PythonValue | undefined {
    this.#skipGap();
    const character = this.#text[this.#offset];
    if (character === undefined || terminators.includes(character)) return undefined;
    if (character === '{' && depth < maximumDepth) return this.#object(depth);
    if (character === '[' && depth < maximumDepth) return this.#list(depth);
    if (character in quotes) return this.#string(terminators);
    return this.#bare(terminators);
  }

  #object(depth: number): PythonValue {
    this.#offset += 1;
    const entries: [string, PythonValue][] = [];
    while (!this.#isClosed('}')) {
      const before = this.#offset;
      const key = this.#value(':=,}]', depth + 1);
      this.#skipGap();
      const next = this.#text[this.#offset] ?? '';
      if (next === ':' || next === '=') this.#offset += 1;
      else if (key === undefined || ',}]'.includes(next)) {
        if (this.#offset === before) this.#offset += 1;
        continue;
      }
      const value = this.#value(MEMBER_END, depth + 1);
      entries.push([keyText(key), value === undefined ? '' : value]);
    }
    return Object.fromEntries(entries);
  }

  #list(depth: number): PythonValue {
    this.#offset += 1;
    const items: PythonValue[] = [];
    while (!this.#isClosed(']')) {
      const before = this.#offset;
      const item = this.#value(',]}', depth + 1);
      if (item !== undefined) items.push(item);
      else if (this.#offset === before) this.#offset += 1;
    }
    return items;
  }

  /**
   * Skips surplus commas and the closing bracket. Returns true at the closing bracket, at a bracket that closes an
   * enclosing value, and at the end of the text.
   */
  #isClosed(bracket: '}' | ']'): boolean {
    this.#skipGap();
    while (this.#text[this.#offset] === ',') {
      this.#offset += 1;
      this.#skipGap();
    }
    const character = this.#text[this.#offset];
    if (character === bracket) this.#offset += 1;
    return character === undefined || character === '}' || character === ']';
  }

  /** Reads a quoted text. A quote is part of the text unless the characters after it can follow a text. */
  #string(terminators: string): string {
    const close = quotes[this.#text.charAt(this.#offset)] ?? '"';
    const parts: string[] = [];
    this.#offset += 1;
    while (this.#offset < this.#text.length) {
      plainPattern.lastIndex = this.#offset;
      const plain = plainPattern.exec(this.#text)?.[0] ?? '';
      parts.push(plain);
      this.#offset += plain.length;
      const character = this.#text.charAt(this.#offset);
      const isEnd = character === close && this.#endsText(terminators);
      if (!isEnd) parts.push(character === '\\' ? this.#escape() : character);
      this.#offset = Math.min(this.#offset + 1, this.#text.length);
      if (isEnd) break;
    }
    return parts.join('');
  }

  /** Whether the characters after the quote can follow a text; in an object, a comma must precede another member. */
  #endsText(terminators: string): boolean {
    const rest = this.#text.slice(this.#offset + 1, this.#offset + lookaheadCharacters);
    const isInObject = terminators === MEMBER_END;
    if (isInObject && /^\s*,/.test(rest))
      return rest.length >= lookaheadCharacters - 1 || nextMember.test(rest);
    return afterText.test(rest);
  }

  /** Returns the character of an escape sequence and moves the offset to the last character of the sequence. */
  #escape(): string {
    const letter = this.#text.charAt(this.#offset + 1);
    this.#offset += 1;
    if (letter !== 'u') return escapes[letter] ?? `\\${letter}`;
    const digits = /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#offset + 1, this.#offset + 5))?.[0];
    if (digits === undefined) return '\\u';
    this.#offset += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  /** Reads a constant, a number, or an unquoted text. */
  #bare(terminators: string): PythonValue | undefined {
    const start = this.#offset;
    if (terminators === MEMBER_END) {
      groupedPattern.lastIndex = start;
      const grouped = groupedPattern.exec(this.#text)?.[0].replace(/[eE/,-]$/, '');
      if (grouped?.includes(',')) {
        this.#offset += grouped.length;
        return grouped;
      }
    }
    constantPattern.lastIndex = start;
    const constant = constantPattern.exec(this.#text)?.[0];
    if (constant !== undefined) {
      this.#offset += constant.length;
      return Object.hasOwn(constants, constant) ? constants[constant] : numberOf(constant);
    }
    while (
      this.#offset < this.#text.length &&
      !`${terminators}\n`.includes(this.#text.charAt(this.#offset))
    ) {
      this.#offset += 1;
    }
    const bare = this.#text.slice(start, this.#offset);
    const line = Math.max(0, ...['\r', '\u2028', '\u2029'].map((end) => bare.lastIndexOf(end)));
    const text = (bare.slice(0, line) + bare.slice(line).replace(/\s(?:\/\/|#|\/\*).*$/, '')).trim();
    return text === '' ? undefined : text;
  }

  #skipGap(): void {
    gapPattern.lastIndex = this.#offset;
    gapPattern.exec(this.#text);
    this.#offset = gapPattern.lastIndex;
  }
}

function keyText(key: PythonValue | undefined): string {
  if (key === undefined) return '';
  return typeof key === 'string' ? key : jsonDumpsCompactAscii(key);
}

function numberOf(text: string): PythonValue {
  const number = Number(text);
  if (/^[+-]?\d+$/.test(text)) return Number.isSafeInteger(number) ? number : BigInt(text.replace('+', ''));
  return Number.isInteger(number) ? new PythonFloat(number) : number;
}
