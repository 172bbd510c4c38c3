import { PythonFloat } from '../values/python-float';
import { str } from './str';
import type { PythonValue } from '../values/python-value';

const maximumDepth = 100;

/**
 * Evaluates a Python literal, like `ast.literal_eval`: numbers, strings, None, True, False, and lists, tuples, sets
 * (both as lists) and dicts of them. Returns undefined for any other text.
 */
export function literalEval(text: string): PythonValue | undefined {
  const reader = new LiteralReader(text.trim());
  const value = reader.value(0);
  return value !== undefined && reader.isAtEnd() ? value : undefined;
}

interface Items {
  readonly items: readonly PythonValue[];
  readonly endsWithComma: boolean;
}

const numberPattern =
  /[+-]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
const wordPattern = /None|True|False/y;
const stringPattern =
  /'''([\s\S]*?)'''|"""([\s\S]*?)"""|'((?:[^'\\\n]|\\[\s\S])*)'|"((?:[^"\\\n]|\\[\s\S])*)"/y;
const words: Readonly<Record<string, PythonValue>> = { None: null, True: true, False: false };

class LiteralReader {
  readonly #text: string;
  #offset = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skipBlanks();
    return this.#offset === this.#text.length;
  }

  value(depth: number): PythonValue | undefined {
    if (depth > maximumDepth) return undefined;
    this.#skipBlanks();
    switch (this.#text[this.#offset]) {
      case '[':
        return this.#list(depth);
      case '(':
        return this.#parenthesised(depth);
      case '{':
        return this.#braced(depth);
      case "'":
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #word(): PythonValue | undefined {
    const word = this.#match(wordPattern)?.[0];
    if (word !== undefined) return words[word];
    const number = this.#match(numberPattern)?.[0];
    return number === undefined ? undefined : numberOf(number);
  }

  /** Reads the remaining items up to the closing bracket. */
  #items(close: string, depth: number, items: PythonValue[] = []): Items | undefined {
    let endsWithComma = false;
    while (!this.#take(close)) {
      if (items.length > 0 && !endsWithComma) {
        if (!this.#take(',')) return undefined;
        endsWithComma = true;
        continue;
      }
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      endsWithComma = false;
    }
    return { items, endsWithComma };
  }

  #list(depth: number): readonly PythonValue[] | undefined {
    this.#offset += 1;
    return this.#items(']', depth)?.items;
  }

  /** A tuple, or a single value in parentheses. */
  #parenthesised(depth: number): PythonValue | undefined {
    this.#offset += 1;
    const read = this.#items(')', depth);
    if (read === undefined) return undefined;
    return read.items.length === 1 && !read.endsWithComma ? read.items[0] : read.items;
  }

  /** A dict, or a set, which becomes a list. */
  #braced(depth: number): PythonValue | undefined {
    this.#offset += 1;
    const entries: [string, PythonValue][] = [];
    while (!this.#take('}')) {
      if (entries.length > 0 && !this.#take(',')) return undefined;
      if (entries.length > 0 && this.#take('}')) break;
      const key = this.value(depth + 1);
      if (key === undefined) return undefined;
      if (!this.#take(':')) return entries.length === 0 ? this.#items('}', depth, [key])?.items : undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      entries.push([str(key), value]);
    }
    return Object.fromEntries(entries);
  }

  #string(): string | undefined {
    const match = this.#match(stringPattern);
    if (match === null) return undefined;
    return unescape(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '');
  }

  #take(token: string): boolean {
    this.#skipBlanks();
    if (!this.#text.startsWith(token, this.#offset)) return false;
    this.#offset += token.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#offset;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#offset = pattern.lastIndex;
    return match;
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text[this.#offset] ?? '')) this.#offset += 1;
  }
}

function numberOf(text: string): PythonValue | undefined {
  const digits = text.replaceAll('_', '').replace(/^\+/, '');
  if (/^-?0[xXoObB]/.test(digits) || /^-?\d+$/.test(digits)) {
    if (/^-?0\d*[1-9]/.test(digits)) return undefined;
    const value = digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  const number = Number(digits);
  return Number.isInteger(number) ? new PythonFloat(number) : number;
}

const escapes: Readonly<Record<string, string>> = {
  '\n': '',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

function unescape(text: string): string {
  const pattern =
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})|([0-7]{1,3})|([\s\S]))/g;
  return text.replace(
    pattern,
    (whole, x?: string, u?: string, long?: string, octal?: string, letter?: string) => {
      const hex = x ?? u ?? long;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      return escapes[letter ?? ''] ?? whole;
    },
  );
}
