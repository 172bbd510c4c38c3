/**
 * Encodes arrays as parameters in PostgreSQL's binary format, for statements that write many rows at once: the driver
 * sends a Buffer unchanged, whereas it would format an array as text, escape each element, and let the server parse it
 * again. Sources: array_recv, uuid_recv and timestamptz_recv of PostgreSQL.
 */
import { DatabaseError } from './database';
import { DATETIME_FIELD_OVERFLOW, INVALID_TEXT_REPRESENTATION, NUMERIC_VALUE_OUT_OF_RANGE } from './sqlstate';

/** PostgreSQL's type identifiers. */
const BOOLEAN = 16;
const INTEGER = 23;
const TEXT = 25;
const TIMESTAMP_WITH_TIME_ZONE = 1184;
const UUID = 2950;

const LENGTH_BYTES = 4;
const INTEGER_BYTES = 4;
const TIMESTAMP_BYTES = 8;
const UUID_BYTES = 16;
const HEADER_BYTES = 12;
const DIMENSION_BYTES = 8;
const NULL_LENGTH = -1;

/** 2000-01-01, PostgreSQL's epoch. */
const EPOCH_MILLISECONDS = 946_684_800_000;
const MICROSECONDS_PER_MILLISECOND = 1_000;
const TWO_TO_32 = 4_294_967_296;

const UUID_LENGTH = 36;
const HYPHENS = new Set([8, 13, 18, 23]);
const HYPHEN = 45;

/** Values of hexadecimal digits by character code; 255 for every other character. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? 255 : digit;
});

/** Encodes a text[]. A Buffer is a text in UTF-8. */
export function textArray(texts: readonly (string | Buffer | null)[]): Buffer {
  const lengths = texts.map((text) => (text === null ? NULL_LENGTH : byteLength(text)));
  const bytes = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), 0);
  const array = emptyArray(TEXT, texts.length, bytes, lengths.includes(NULL_LENGTH));
  let at = array.length - bytes;
  texts.forEach((text, index) => {
    at = array.writeInt32BE(lengths[index] ?? NULL_LENGTH, at);
    if (typeof text === 'string') at += array.write(text, at, 'utf8');
    else if (text !== null) at += text.copy(array, at);
  });
  return array;
}

function byteLength(text: string | Buffer): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.length;
}

/** Encodes a uuid[]. Throws the error that the server would return for an invalid id. */
export function uuidArray(ids: readonly string[]): Buffer {
  return fixedArray(UUID, UUID_BYTES, ids, writeUuid);
}

/** Encodes an integer[]. Throws the error that the server would return for a number outside of the type. */
export function integerArray(numbers: readonly number[]): Buffer {
  return fixedArray(INTEGER, INTEGER_BYTES, numbers, writeInteger);
}

/** Encodes a boolean[]. */
export function booleanArray(values: readonly boolean[]): Buffer {
  return fixedArray(BOOLEAN, 1, values, (array, value, at) => array.writeUInt8(value ? 1 : 0, at));
}

/** Encodes a timestamptz[] in milliseconds. Throws the error that the server would return for an invalid time. */
export function timestampArray(times: readonly Date[]): Buffer {
  return fixedArray(TIMESTAMP_WITH_TIME_ZONE, TIMESTAMP_BYTES, times, writeTimestamp);
}

function fixedArray<T>(
  type: number,
  elementBytes: number,
  values: readonly T[],
  write: (array: Buffer, value: T, at: number) => unknown,
): Buffer {
  const bytes = values.length * (LENGTH_BYTES + elementBytes);
  const array = emptyArray(type, values.length, bytes, false);
  let at = array.length - bytes;
  for (const value of values) {
    at = array.writeInt32BE(elementBytes, at);
    write(array, value, at);
    at += elementBytes;
  }
  return array;
}

/** Allocates an array with its header and space for the elements. An empty array has no dimension. */
function emptyArray(type: number, length: number, bytes: number, hasNull: boolean): Buffer {
  const dimensions = length === 0 ? 0 : 1;
  const array = Buffer.allocUnsafe(HEADER_BYTES + dimensions * DIMENSION_BYTES + bytes);
  let at = array.writeInt32BE(dimensions, 0);
  at = array.writeInt32BE(hasNull ? 1 : 0, at);
  at = array.writeInt32BE(type, at);
  if (dimensions === 0) return array;
  at = array.writeInt32BE(length, at);
  array.writeInt32BE(1, at);
  return array;
}

function writeUuid(array: Buffer, id: string, start: number): void {
  let at = start;
  let isValid = id.length === UUID_LENGTH;
  for (let index = 0; isValid && index < UUID_LENGTH;) {
    if (HYPHENS.has(index)) {
      isValid = id.charCodeAt(index) === HYPHEN;
      index += 1;
      continue;
    }
    const high = DIGITS[id.charCodeAt(index)] ?? 255;
    const low = DIGITS[id.charCodeAt(index + 1)] ?? 255;
    isValid = high < 16 && low < 16;
    array[at] = high * 16 + low;
    at += 1;
    index += 2;
  }
  if (isValid) return;
  throw new DatabaseError(`invalid input syntax for type uuid: "${id}"`, INVALID_TEXT_REPRESENTATION);
}

function writeInteger(array: Buffer, number: number, at: number): void {
  if ((number | 0) !== number)
    throw new DatabaseError(`value "${number}" is out of range for type integer`, NUMERIC_VALUE_OUT_OF_RANGE);
  array.writeInt32BE(number, at);
}

function writeTimestamp(array: Buffer, time: Date, at: number): void {
  if (Number.isNaN(time.getTime()))
    throw new DatabaseError('timestamp out of range: an invalid Date', DATETIME_FIELD_OVERFLOW);
  const microseconds = (time.getTime() - EPOCH_MILLISECONDS) * MICROSECONDS_PER_MILLISECOND;
  const high = Math.floor(microseconds / TWO_TO_32);
  array.writeInt32BE(high, at);
  array.writeUInt32BE(microseconds - high * TWO_TO_32, at + INTEGER_BYTES);
}
