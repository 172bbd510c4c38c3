import { PythonFloat } from '../values/python-float';
import { PythonJsonError } from './python-json-error';
import type { PythonJsonErrorKind } from './python-json-error';
import type { PythonValue } from '../values/python-value';

/**
 * Parses JSON as Python's `json.loads` does: NaN, Infinity and -Infinity are allowed, the last of duplicate keys wins,
 * control characters in strings are rejected; integers keep all digits (a bigint beyond 2^53), whole floats become a
 * PythonFloat. Takes linear time; nesting is limited, and the number of values where `maximumValues` is given. Throws a
 * PythonJsonError.
 */
export function parsePythonJson(
  text: string,
  { maximumValues = Infinity }: { readonly maximumValues?: number } = {},
): PythonValue {
  return new JsonReader(text, maximumValues).readDocument();
}

const maximumDepth = 994;
// Python rejects integers with more digits, because parsing takes quadratic time.
const maximumIntegerDigits = 4300;

const number = /(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const fourHexadecimalDigits = /[0-9a-fA-F]{4}/y;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const constants: readonly (readonly [string, PythonValue])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];

class JsonReader {
  readonly #text: string;
  readonly #maximumValues: number;
  #offset = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string, maximumValues: number) {
    this.#text = text;
    this.#maximumValues = maximumValues;
  }

  readDocument(): PythonValue {
    if (this.#text.startsWith('\ufeff')) this.#fail('Unexpected UTF-8 BOM (decode using utf-8-sig)', 0);
    this.#skipWhitespace();
    const value = this.#readValue();
    this.#skipWhitespace();
    if (this.#offset < this.#text.length) this.#fail('Extra data', this.#offset);
    return value;
  }

  #readValue(): PythonValue {
    this.#values += 1;
    if (this.#values > this.#maximumValues) {
      this.#fail(`more than ${this.#maximumValues} values`, this.#offset, 'ValueError');
    }
    switch (this.#text[this.#offset]) {
      case '"':
        return this.#readString();
      case '{':
        return this.#readNested('object', () => this.#readObject());
      case '[':
        return this.#readNested('array', () => this.#readArray());
      default:
        return this.#readNumberOrConstant();
    }
  }

  #readNested<T>(kind: 'object' | 'array', read: () => T): T {
    this.#depth += 1;
    if (this.#depth > maximumDepth) {
      const reason = `maximum recursion depth exceeded while decoding a JSON ${kind} from a unicode string`;
      this.#fail(reason, this.#offset, 'RecursionError');
    }
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #readObject(): PythonValue {
    const object: Record<string, PythonValue> = {};
    this.#offset += 1;
    this.#skipWhitespace();
    if (this.#take('}')) return object;
    for (;;) {
      if (this.#text[this.#offset] !== '"') {
        this.#fail('Expecting property name enclosed in double quotes', this.#offset);
      }
      const key = this.#readString();
      this.#skipWhitespace();
      if (!this.#take(':')) this.#fail("Expecting ':' delimiter", this.#offset);
      this.#skipWhitespace();
      setOwn(object, key, this.#readValue());
      this.#skipWhitespace();
      if (this.#take('}')) return object;
      if (!this.#take(',')) this.#fail("Expecting ',' delimiter", this.#offset);
      this.#skipWhitespace();
    }
  }

  #readArray(): PythonValue {
    const items: PythonValue[] = [];
    this.#offset += 1;
    this.#skipWhitespace();
    if (this.#take(']')) return items;
    for (;;) {
      items.push(this.#readValue());
      this.#skipWhitespace();
      if (this.#take(']')) return items;
      if (!this.#take(',')) this.#fail("Expecting ',' delimiter", this.#offset);
      this.#skipWhitespace();
    }
  }

  #readString(): string {
    const text = this.#text;
    const begin = this.#offset;
    let result = '';
    this.#offset += 1;
    for (;;) {
      const end = endOfPlainCharacters(text, this.#offset);
      const chunk = text.slice(this.#offset, end);
      this.#offset = end + 1;
      if (end >= text.length) this.#fail('Unterminated string starting at', begin);
      const stop = text[end];
      if (stop === '"') return result === '' ? chunk : result + chunk;
      if (stop !== '\\') this.#fail('Invalid control character at', end);
      result += chunk + this.#readEscape(begin);
    }
  }

  // Called after the backslash.
  #readEscape(stringBegin: number): string {
    const letter = this.#text[this.#offset];
    if (letter === undefined) return this.#fail('Unterminated string starting at', stringBegin);
    this.#offset += 1;
    if (letter === 'u') return this.#readUnicodeEscape();
    return escapes[letter] ?? this.#fail('Invalid \\escape', this.#offset - 2);
  }

  #readUnicodeEscape(): string {
    fourHexadecimalDigits.lastIndex = this.#offset;
    // Python reads one character more: at the end of the text it reports the escape, not the missing quote.
    if (!fourHexadecimalDigits.test(this.#text) || this.#offset + 4 === this.#text.length) {
      this.#fail('Invalid \\uXXXX escape', this.#offset - 1);
    }
    const digits = this.#text.slice(this.#offset, this.#offset + 4);
    this.#offset += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #readNumberOrConstant(): PythonValue {
    number.lastIndex = this.#offset;
    const match = number.exec(this.#text);
    if (match === null) return this.#readConstant();
    const start = this.#offset;
    this.#offset = number.lastIndex;
    const [whole, integer = '', fraction, exponent] = match;
    if (fraction !== undefined || exponent !== undefined) return floatValue(Number(whole));
    const digits = integer.startsWith('-') ? integer.length - 1 : integer.length;
    if (digits > maximumIntegerDigits) this.#fail(tooManyDigits(digits), start, 'ValueError');
    return integerValue(integer);
  }

  #readConstant(): PythonValue {
    for (const [name, value] of constants) {
      if (this.#text.startsWith(name, this.#offset)) {
        this.#offset += name.length;
        return value;
      }
    }
    return this.#fail('Expecting value', this.#offset);
  }

  #skipWhitespace(): void {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#offset);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#offset += 1;
    }
  }

  #take(character: string): boolean {
    if (this.#text[this.#offset] !== character) return false;
    this.#offset += 1;
    return true;
  }

  #fail(reason: string, offset: number, kind: PythonJsonErrorKind = 'JSONDecodeError'): never {
    throw new PythonJsonError(kind, reason, this.#text, offset);
  }
}

/** Returns the offset of the next quote, backslash or control character, or of the end of the text. */
function endOfPlainCharacters(text: string, begin: number): number {
  let index = begin;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22 || code === 0x5c || code < 0x20) break;
  }
  return index;
}

function tooManyDigits(digits: number): string {
  return (
    `Exceeds the limit (${maximumIntegerDigits} digits) for integer string conversion: ` +
    `value has ${digits} digits; use sys.set_int_max_str_digits() to increase the limit`
  );
}

function floatValue(value: number): PythonValue {
  return Number.isInteger(value) ? new PythonFloat(value) : value;
}

function integerValue(digits: string): PythonValue {
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  return BigInt(digits);
}

// Assigning to __proto__ would change the object's prototype instead of adding a member.
function setOwn(object: Record<string, PythonValue>, key: string, value: PythonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
