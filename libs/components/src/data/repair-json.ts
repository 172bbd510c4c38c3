import { parsePythonJson, PythonFloat, PythonJsonError, str } from '@millrace/flow';
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
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
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
      const key = this.#value(':,}', depth + 1);
      this.#skipGap();
      if (this.#text[this.#offset] === ':') {
        this.#offset += 1;
        const value = this.#value(',}', depth + 1);
        entries.push([typeof key === 'string' ? key : str(key ?? null), value === undefined ? '' : value]);
      } else if (this.#offset === before) this.#offset += 1;
    }
    return Object.fromEntries(entries);
  }

  #list(depth: number): PythonValue {
    this.#offset += 1;
    const items: PythonValue[] = [];
    while (!this.#isClosed(']')) {
      const before = this.#offset;
      const item = this.#value(',]', depth + 1);
      if (item !== undefined) items.push(item);
      else if (this.#offset === before) this.#offset += 1;
    }
    return items;
  }

  /** True past the closing bracket, or at the end of a text that was cut off. Surplus commas are skipped. */
  #isClosed(bracket: string): boolean {
    this.#skipGap();
    while (this.#text[this.#offset] === ',') {
      this.#offset += 1;
      this.#skipGap();
    }
    if (this.#offset >= this.#text.length) return true;
    if (this.#text[this.#offset] !== bracket) return false;
    this.#offset += 1;
    return true;
  }

  /** A quoted text. A quote that is not followed by what may follow a text belongs to it. */
  #string(ends: string): string {
    const close = quotes[this.#text.charAt(this.#offset)] ?? '"';
    const parts: string[] = [];
    this.#offset += 1;
    while (this.#offset < this.#text.length) {
      const character = this.#text.charAt(this.#offset);
      if (character === close && this.#endsText(ends)) {
        this.#offset += 1;
        break;
      }
      parts.push(character === '\\' ? this.#escape() : character);
      this.#offset += 1;
    }
    return parts.join('');
  }

  #endsText(ends: string): boolean {
    const following = /^\s*(.?)/.exec(this.#text.slice(this.#offset + 1, this.#offset + 40))?.[1] ?? '';
    return following === '' || ends.includes(following) || ':,]}"\'\n'.includes(following);
  }

  /** The character that an escape stands for; the offset stays at its last one. */
  #escape(): string {
    const letter = this.#text.charAt(this.#offset + 1);
    this.#offset += 1;
    if (letter !== 'u') return escapes[letter] ?? letter;
    const digits = /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#offset + 1, this.#offset + 5))?.[0];
    if (digits === undefined) return '\\u';
    this.#offset += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  /** A word, a number, or a text without quotes. */
  #bare(ends: string): PythonValue | undefined {
    const start = this.#offset;
    while (this.#offset < this.#text.length && !`${ends}\n`.includes(this.#text.charAt(this.#offset))) {
      this.#offset += 1;
    }
    const text = this.#text
      .slice(start, this.#offset)
      .replace(/\s(?:\/\/|#|\/\*).*$/, '')
      .trim();
    if (text === '') return undefined;
    return Object.hasOwn(words, text) ? words[text] : (numberOf(text) ?? text);
  }

  #skipGap(): void {
    gapPattern.lastIndex = this.#offset;
    gapPattern.exec(this.#text);
    this.#offset = gapPattern.lastIndex;
  }
}

function numberOf(text: string): PythonValue | undefined {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  if (/^[+-]?\d+$/.test(text)) return Number.isSafeInteger(number) ? number : BigInt(text.replace('+', ''));
  return Number.isInteger(number) ? new PythonFloat(number) : number;
}
