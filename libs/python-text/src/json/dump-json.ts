import { floatRepr } from '../numbers/float-repr';
import { integerText } from '../numbers/integer-text';
import { PythonFloat } from '../values/python-float';
import { Data, DataFrame, Message } from '../values/python-value';
import { messageData } from '../values/message-data';

/**
 * Returns a value as Python's `json.dumps` writes it by default: separators `", "` and `": "`, non-ASCII characters
 * escaped, floats with a decimal point, NaN and Infinity by name. Accepts plain JavaScript values and Python values;
 * undefined members are omitted. Used for events of a stream.
 */
export function jsonDumpsCompactAscii(value: unknown): string {
  return dumpCompact(value, quoted);
}

/**
 * Returns a value as Python's `json.dumps(value, ensure_ascii=False)` writes it. Results of tools are shown to models this
 * way.
 */
export function jsonDumpsCompact(value: unknown): string {
  return dumpCompact(value, JSON.stringify);
}

/**
 * Returns a value as Python's `json.dumps(value, indent=4)` writes it, or with another indent. `str` of a Data uses
 * indent 4.
 */
export function jsonDumpsIndented(value: unknown, indent = 4): string {
  return dumpIndented(value, '\n', ' '.repeat(indent));
}

function dumpCompact(value: unknown, quote: (text: string) => string): string {
  if (typeof value === 'string') return quote(value);
  const plain = plainOf(value);
  if (typeof plain !== 'object') return plain;
  let text = '';
  if (Array.isArray(plain)) {
    for (const item of plain)
      text += text === '' ? dumpCompact(item, quote) : `, ${dumpCompact(item, quote)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(plain)) {
    const member = (plain as Readonly<Record<string, unknown>>)[key];
    if (member === undefined) continue;
    if (text !== '') text += ', ';
    text += `${quote(key)}: ${dumpCompact(member, quote)}`;
  }
  return `{${text}}`;
}

function dumpIndented(value: unknown, newline: string, step: string): string {
  if (typeof value === 'string') return quoted(value);
  const plain = plainOf(value);
  if (typeof plain !== 'object') return plain;
  const inner = newline + step;
  if (Array.isArray(plain)) {
    const items = plain.map((item) => inner + dumpIndented(item, inner, step));
    return items.length === 0 ? '[]' : `[${items.join(',')}${newline}]`;
  }
  const members = Object.entries(plain)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${inner}${quoted(key)}: ${dumpIndented(member, inner, step)}`);
  return members.length === 0 ? '{}' : `{${members.join(',')}${newline}}`;
}

/** Returns the text of a scalar, or a plain array or object for any other value. */
function plainOf(value: unknown): string | object {
  switch (typeof value) {
    case 'number':
      return numberText(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return value.toString();
    case 'object':
      break;
    default:
      return 'null';
  }
  if (value === null) return 'null';
  if (value instanceof PythonFloat) return numberText(value.value, true);
  if (value instanceof Message) return messageData(value);
  if (value instanceof Data) {
    return { text_key: value.textKey, data: value.data, default_value: value.defaultValue };
  }
  if (value instanceof DataFrame) return [...value.rows];
  if (value instanceof Date) return quoted(value.toISOString());
  return value;
}

function numberText(value: number, isFloat = !Number.isInteger(value)): string {
  if (!isFloat) return integerText(value);
  if (Number.isFinite(value)) return floatRepr(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

const plainAscii = /^[ !#-[\]-~]*$/;
const beyondAscii = /[\u007f-\uffff]/g;

function quoted(text: string): string {
  if (plainAscii.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(beyondAscii, unicodeEscape);
}

function unicodeEscape(codeUnit: string): string {
  return `\\u${codeUnit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
