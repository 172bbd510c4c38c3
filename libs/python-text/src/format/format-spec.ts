import { PythonFormatError } from './python-format-error';

/** The part of a replacement field after its colon: `[[fill]align][sign][z][#][0][width][,_][.precision][type]`. */
export interface FormatSpec {
  readonly fill: string;
  readonly align: '<' | '>' | '=' | '^';
  readonly sign: '' | '+' | '-' | ' ';
  readonly coercesNegativeZero: boolean;
  readonly alternate: boolean;
  readonly width: number;
  readonly separator: '' | ',' | '_';
  readonly precision: number | null;
  /** Null when the specification contains none. */
  readonly type: string | null;
}

// Python has no limit; here a pattern must not exhaust the memory.
const maximumSize = 1_000_000;

/** Parses a format specification for a value of this class; throws Python's ValueErrors. */
export function parseFormatSpec(text: string, className: string): FormatSpec {
  const characters = Array.from(text);
  const reader = new SpecReader(characters);
  const alignment = readAlignment(reader);
  const sign = reader.takeOneOf('+- ') as FormatSpec['sign'];
  const coercesNegativeZero = reader.takeOneOf('z') !== '';
  const alternate = reader.takeOneOf('#') !== '';
  const padsWithZeros = alignment.fill === null && reader.takeOneOf('0') !== '';
  const width = reader.takeInteger() ?? 0;
  const separator = readSeparator(reader);
  const precision = readPrecision(reader);
  if (reader.remaining > 1) {
    const message = `Invalid format specifier '${text}' for object of type '${className}'`;
    throw new PythonFormatError('ValueError', message);
  }
  const type = reader.take() ?? null;
  refuseSeparator(separator, type ?? (className === 'str' ? 's' : null));
  const isText = className === 'str';
  return {
    fill: alignment.fill ?? (padsWithZeros ? '0' : ' '),
    align: alignment.align ?? (isText ? '<' : padsWithZeros ? '=' : '>'),
    sign,
    coercesNegativeZero,
    alternate,
    width,
    separator,
    precision,
    type,
  };
}

class SpecReader {
  readonly #characters: readonly string[];
  #index = 0;

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  get remaining(): number {
    return this.#characters.length - this.#index;
  }

  peek(distance = 0): string {
    return this.#characters[this.#index + distance] ?? '';
  }

  take(): string | undefined {
    const character = this.#characters[this.#index];
    if (character !== undefined) this.#index += 1;
    return character;
  }

  takeOneOf(accepted: string): string {
    const character = this.peek();
    if (character === '' || !accepted.includes(character)) return '';
    this.#index += 1;
    return character;
  }

  takeInteger(): number | null {
    let value: number | null = null;
    while (/^[0-9]$/.test(this.peek())) {
      value = (value ?? 0) * 10 + Number(this.take());
      if (value > maximumSize) {
        throw new PythonFormatError('ValueError', 'Too many decimal digits in format string');
      }
    }
    return value;
  }
}

function readAlignment(reader: SpecReader): { fill: string | null; align: FormatSpec['align'] | null } {
  if (isAlignment(reader.peek(1))) {
    const fill = reader.take() ?? null;
    return { fill, align: reader.take() as FormatSpec['align'] };
  }
  return { fill: null, align: isAlignment(reader.peek()) ? (reader.take() as FormatSpec['align']) : null };
}

function isAlignment(character: string): boolean {
  return character !== '' && '<>=^'.includes(character);
}

function readSeparator(reader: SpecReader): FormatSpec['separator'] {
  const comma = reader.takeOneOf(',');
  const underscore = reader.takeOneOf('_');
  if (underscore !== '' && (comma !== '' || reader.peek() === ',')) {
    throw new PythonFormatError('ValueError', "Cannot specify both ',' and '_'.");
  }
  return (comma || underscore) as FormatSpec['separator'];
}

function readPrecision(reader: SpecReader): number | null {
  if (reader.takeOneOf('.') === '') return null;
  const precision = reader.takeInteger();
  if (precision === null) throw new PythonFormatError('ValueError', 'Format specifier missing precision');
  return precision;
}

function refuseSeparator(separator: FormatSpec['separator'], type: string | null): void {
  if (separator === '' || type === null || 'deEfFgG%'.includes(type)) return;
  if (separator === '_' && 'boxX'.includes(type)) return;
  throw new PythonFormatError('ValueError', `Cannot specify '${separator}' with ${typeText(type)}.`);
}

function typeText(type: string): string {
  const code = type.codePointAt(0) ?? 0;
  return code > 32 && code < 128 ? `'${type}'` : `'\\x${code.toString(16)}'`;
}

/** Returns Python's error for a type code that a class does not support. */
export function unknownFormatCode(type: string, className: string): PythonFormatError {
  const message = `Unknown format code ${typeText(type)} for object of type '${className}'`;
  return new PythonFormatError('ValueError', message);
}
