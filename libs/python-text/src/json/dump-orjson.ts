import { OrjsonError } from './orjson-error';
import { PythonFloat } from '../values/python-float';
import { Data, DataFrame, Message } from '../values/python-value';
import { messageData } from '../values/message-data';

/**
 * Returns a value as orjson writes it with an indentation of two spaces: non-ASCII characters are kept, NaN and
 * Infinity become null. Throws an OrjsonError for values that orjson rejects: integers of more than 64 bits and
 * unpaired surrogates.
 */
export function orjsonIndented(value: unknown): string {
  return dump(value, '\n');
}

/** Returns a value as orjson writes it by default: without spaces. Throws as orjsonIndented does. */
export function orjsonCompact(value: unknown): string {
  return dump(value, null);
}

/** `newline` is a newline followed by the indentation of the surrounding value; null to write no newlines. */
function dump(value: unknown, newline: string | null): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      return numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return integerText(value);
    case 'object':
      return value === null ? 'null' : dumpObject(value, newline);
    default:
      return 'null';
  }
}

function dumpObject(value: object, newline: string | null): string {
  if (value instanceof PythonFloat) return floatText(value.value);
  const inner = newline === null ? null : `${newline}  `;
  const before = inner ?? '';
  const after = newline ?? '';
  const plain = plainOf(value);
  if (Array.isArray(plain)) {
    const items = plain.map((item) => before + dump(item, inner));
    return items.length === 0 ? '[]' : `[${items.join(',')}${after}]`;
  }
  const colon = newline === null ? ':' : ': ';
  const members = Object.entries(plain)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${before}${quoted(key)}${colon}${dump(member, inner)}`);
  return members.length === 0 ? '{}' : `{${members.join(',')}${after}}`;
}

function plainOf(value: object): object {
  if (value instanceof Message) return messageData(value);
  if (value instanceof DataFrame) return [...value.rows];
  if (value instanceof Data) {
    return { text_key: value.textKey, data: value.data, default_value: value.defaultValue };
  }
  return value;
}

const halfPair = /\p{Cs}/u;

function quoted(text: string): string {
  if (halfPair.test(text)) throw new OrjsonError('str is not valid UTF-8: surrogates not allowed');
  return JSON.stringify(text);
}

function numberText(value: number): string {
  return Number.isInteger(value) ? integerText(BigInt(value)) : floatText(value);
}

function integerText(value: bigint): string {
  if (value > 0xffffffffffffffffn || value < -0x8000000000000000n) {
    throw new OrjsonError('Integer exceeds 64-bit range');
  }
  return value.toString();
}

/** Shortest representation; without an exponent from 1e-5 up to 1e16. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-5 || magnitude >= 1e16)) {
    return value.toExponential();
  }
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) ? `${String(value)}.0` : String(value);
}
