import { isUtf8 } from 'node:buffer';
import { findJsonExcess, HttpError, unstorableCharacterInJson, unstorablePosition } from '@millrace/http';
import type { JsonExcess, UnstorableCharacter } from '@millrace/http';
import { codePointCount, parsePythonJson, PythonFloat, PythonJsonError } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** Maximum depth of a body, so that recursion over it is safe in all code. */
const MAXIMUM_DEPTH = 64;

/**
 * Parses a body as Python's json module does, which also accepts UTF-16, UTF-32, NaN and the infinities. An error has
 * Python's message and character offset, as in FastAPI. Depth and number of members are checked before the text is
 * parsed. A text that cannot be stored is refused like an error of syntax. Throws undecodable_body, invalid_json and body_too_large.
 */
export function parseJson(body: Buffer, maximumMembers: number): unknown {
  const text = decodeJsonBytes(body);
  if (text === null) throw new HttpError('undecodable_body', 'There was an error parsing the body');
  const excess = findJsonExcess(text, { maximumDepth: MAXIMUM_DEPTH, maximumMembers });
  if (excess !== null) throw excessRefusal(text, excess, maximumMembers);
  const value = parseText(text);
  const unstorable = unstorableCharacterInJson(text, value);
  if (unstorable !== null) throw unstorableRefusal(text, unstorable);
  return value;
}

function excessRefusal(text: string, { kind, index }: JsonExcess, maximumMembers: number): HttpError {
  if (kind === 'depth') return invalidJson(text, index, `Nested deeper than ${MAXIMUM_DEPTH} levels`);
  return new HttpError('body_too_large', `The body has more than ${maximumMembers} members.`);
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseAsPython(text);
  }
}

/**
 * Throws Python's error, or returns values that JavaScript does not parse: NaN and the infinities. Answers have null
 * for them.
 */
function parseAsPython(text: string): unknown {
  // A second byte order mark is not valid JSON.
  if (text.startsWith('\ufeff')) throw invalidJson(text, 0, 'Expecting value');
  try {
    return plainValue(parsePythonJson(text));
  } catch (error) {
    if (!(error instanceof PythonJsonError)) throw error;
    if (error.kind !== 'JSONDecodeError')
      throw new HttpError('undecodable_body', 'There was an error parsing the body', { cause: error });
    throw jsonFault(error.position, error.reason);
  }
}

/** Converts a value to what JSON.parse would return. */
function plainValue(value: PythonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof PythonFloat) return value.value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: PythonValue) => plainValue(item));
  const members = Object.entries(value as Readonly<Record<string, PythonValue>>);
  return Object.fromEntries(members.map(([name, member]) => [name, plainValue(member)]));
}

function invalidJson(text: string, offset: number, message: string): HttpError {
  return jsonFault(codePointCount(text.slice(0, offset)), message);
}

/** The message has the reason, which answers like those of Langflow 1.13 do not have in `ctx`. */
function unstorableRefusal(text: string, found: UnstorableCharacter): HttpError {
  const position = codePointCount(text.slice(0, unstorablePosition(text)));
  return jsonFault(position, `${found} in text`, `A text cannot be stored: ${found}`);
}

function jsonFault(position: number, message: string, title = 'JSON decode error'): HttpError {
  return new HttpError('invalid_json', [
    {
      type: 'json_invalid',
      loc: ['body', position],
      msg: title,
      input: {},
      ctx: { error: message },
    },
  ]);
}

/**
 * Decodes JSON bytes as Python's json module does: a byte order mark or zeros among the first four bytes indicate
 * UTF-16 and UTF-32, everything else is UTF-8. Lone surrogates are accepted in each encoding. Returns null when the
 * bytes cannot be decoded.
 */
export function decodeJsonBytes(body: Buffer): string | null {
  const first = body[0] ?? 1;
  const second = body[1] ?? 1;
  // Nearly all bodies are plain UTF-8, which their first two bytes show.
  if (first !== 0 && second !== 0 && first < 0xef) return decodeUtf8(body);
  if (startsWith(body, [0, 0, 0xfe, 0xff])) return decodeUtf32(body.subarray(4), false);
  if (startsWith(body, [0xff, 0xfe, 0, 0])) return decodeUtf32(body.subarray(4), true);
  if (startsWith(body, [0xfe, 0xff])) return decodeUtf16(body.subarray(2), false);
  if (startsWith(body, [0xff, 0xfe])) return decodeUtf16(body.subarray(2), true);
  if (startsWith(body, [0xef, 0xbb, 0xbf])) return decodeUtf8(body.subarray(3));
  return decodeByZeros(body);
}

/** JSON begins with an ASCII character, so the zeros next to it show the width and byte order of characters. */
function decodeByZeros(body: Buffer): string | null {
  const [first, second, third, fourth] = body;
  if (body.length >= 4) {
    if (first === 0) return second === 0 ? decodeUtf32(body, false) : decodeUtf16(body, false);
    if (second === 0) return third === 0 && fourth === 0 ? decodeUtf32(body, true) : decodeUtf16(body, true);
  } else if (body.length === 2 && (first === 0 || second === 0)) return decodeUtf16(body, first !== 0);
  return decodeUtf8(body);
}

function startsWith(body: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => body[index] === byte);
}

function decodeUtf8(body: Buffer): string | null {
  return isUtf8(body) ? body.toString('utf8') : decodeUtf8WithSurrogates(body);
}

/** Decodes lone surrogates, which only Python's `surrogatepass` accepts in UTF-8: ED, A0 to BF, 80 to BF. */
function decodeUtf8WithSurrogates(body: Buffer): string | null {
  const parts: string[] = [];
  let begin = 0;
  const addUpTo = (end: number): boolean => {
    const part = body.subarray(begin, end);
    parts.push(part.toString('utf8'));
    return isUtf8(part);
  };
  for (let index = body.indexOf(0xed); index >= 0; index = body.indexOf(0xed, index + 1)) {
    const [middle = 0, last = 0] = body.subarray(index + 1, index + 3);
    if (middle < 0xa0 || middle > 0xbf || last < 0x80 || last > 0xbf) continue;
    if (!addUpTo(index)) return null;
    parts.push(String.fromCharCode(0xd000 | ((middle & 0x3f) << 6) | (last & 0x3f)));
    begin = index + 3;
  }
  return addUpTo(body.length) ? parts.join('') : null;
}

function decodeUtf16(body: Buffer, isLittleEndian: boolean): string | null {
  if (body.length % 2 !== 0) return null;
  return (isLittleEndian ? body : Buffer.from(body).swap16()).toString('utf16le');
}

function decodeUtf32(body: Buffer, isLittleEndian: boolean): string | null {
  if (body.length % 4 !== 0) return null;
  // A character never needs more bytes in UTF-16.
  const units = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let index = 0; index < body.length; index += 4) {
    const codePoint = isLittleEndian ? body.readUInt32LE(index) : body.readUInt32BE(index);
    if (codePoint > 0x10ffff) return null;
    if (codePoint > 0xffff) {
      length = units.writeUInt16LE(0xd800 + ((codePoint - 0x10000) >> 10), length);
      length = units.writeUInt16LE(0xdc00 + (codePoint & 0x3ff), length);
    } else length = units.writeUInt16LE(codePoint, length);
  }
  return units.toString('utf16le', 0, length);
}

/** Returns true for a JSON object with any members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
