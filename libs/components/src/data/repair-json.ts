import { jsonDumpsCompactAscii, parsePythonJson, PythonFloat, PythonJsonError } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

const maximumDepth = 200;

/**
 * What a JSON text most likely means: read strictly when it is JSON, else leniently, as the JSON that language models
 * write goes wrong: other quotes or none, missing or surplus commas, comments, code fences, words around it, an end
 * that is cut off. A text without any JSON is the empty text. Linear in the text.
 */
export function repairJson(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) return new LenientReader(text).read();
    throw error;
  }
}

const words: Readonly<Record<string, PythonValue>> = {
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
/** A word or a number with nothing after it that could belong to a text. */
const constantPattern =
  /(?:true|True|TRUE|false|False|FALSE|null|None|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?=\s*(?:[,:=}\]]|\/[/*]|#|$)|\s+["'“‘{[\d]|\s*\n)/y;
/** How far to look for what follows a text. */
const lookahead = 200;
const afterText = /^\s*(?:[:=,}\]"'”’]|\/[/*]|#|$)/;
const nextMember = /^\s*,\s*(?:["'“‘][^"'“”‘’]*["'”’]\s*[:=]|[\w$-]+\s*[:=]|[},{]|\/[/*]|#|$)/;
/** What neither ends a quoted text nor begins an escape. */
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

  /** The value that begins here; undefined when there is none. A bare text ends at one of `ends`. */
  #value(ends: string, depth: number): PythonValue | undefined {
    this.#skipGap();
    const character = this.#text[this.#offset];
    if (character === undefined || ends.includes(character)) return undefined;
    if (character === '{' && depth < maximumDepth) return this.#object(depth);
    if (character === '[' && depth < maximumDepth) return this.#list(depth);
    if (character in quotes) return this.#string(ends);
    return this.#bare(ends);
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
      const value = this.#value(',}]', depth + 1);
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
   * True past the closing bracket, before a bracket that closes something around it, and at the end of a text that was
   * cut off. Surplus commas are skipped.
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

  /** A quoted text. A quote that is not followed by what may follow a text belongs to it. */
  #string(ends: string): string {
    const close = quotes[this.#text.charAt(this.#offset)] ?? '"';
    const parts: string[] = [];
    this.#offset += 1;
    while (this.#offset < this.#text.length) {
      plainPattern.lastIndex = this.#offset;
      const plain = plainPattern.exec(this.#text)?.[0] ?? '';
      parts.push(plain);
      this.#offset += plain.length;
      const character = this.#text.charAt(this.#offset);
      const isEnd = character === close && this.#endsText(ends);
      if (!isEnd) parts.push(character === '\\' ? this.#escape() : character);
      this.#offset = Math.min(this.#offset + 1, this.#text.length);
      if (isEnd) break;
    }
    return parts.join('');
  }

  /** True when what follows the quote here may follow a text; after a comma in an object that is another member. */
  #endsText(ends: string): boolean {
    const rest = this.#text.slice(this.#offset + 1, this.#offset + lookahead);
    const isInObject = ends === ',}]';
    if (isInObject && /^\s*,/.test(rest)) return rest.length >= lookahead - 1 || nextMember.test(rest);
    return afterText.test(rest);
  }

  /** What an escape stands for; the offset stays at its last character. */
  #escape(): string {
    const letter = this.#text.charAt(this.#offset + 1);
    this.#offset += 1;
    if (letter !== 'u') return escapes[letter] ?? `\\${letter}`;
    const digits = /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#offset + 1, this.#offset + 5))?.[0];
    if (digits === undefined) return '\\u';
    this.#offset += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  /** A word, a number, or a text without quotes. */
  #bare(ends: string): PythonValue | undefined {
    const start = this.#offset;
    constantPattern.lastIndex = start;
    const constant = constantPattern.exec(this.#text)?.[0];
    if (constant !== undefined) {
      this.#offset += constant.length;
      return Object.hasOwn(words, constant) ? words[constant] : numberOf(constant);
    }
    while (this.#offset < this.#text.length && !`${ends}\n`.includes(this.#text.charAt(this.#offset))) {
      this.#offset += 1;
    }
    const text = this.#text.slice(start, this.#offset).replace(/\s(?:\/\/|#|\/\*).*$/, '');
    return text.trim() === '' ? undefined : text.trim();
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
